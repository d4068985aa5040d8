-- Notes that a rerun was cancelled as a whole.
-- Promises: I6. Parameters: tenant, request, by. Index: rerun_pkey. Answers no rows.
UPDATE ledger.rerun r
   SET cancelled = now(), cancelled_by = %(by)s
 WHERE r.tenant = %(tenant)s AND r.request = %(request)s AND r.cancelled IS NULL
