-- Reads a rerun as it was asked for.
-- Parameters: tenant, request. Index: rerun_pkey. Zero rows: there is none of this id.
SELECT r.at_once, r.wanted, r.cancelled FROM ledger.rerun r
 WHERE r.tenant = %(tenant)s AND r.request = %(request)s
