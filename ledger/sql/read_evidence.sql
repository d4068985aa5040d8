-- Reads what came too late to count for a key, oldest first.
-- Promises: I7. Parameters: tenant, key. Index: evidence_key. Zero rows: nothing did.
SELECT e.at, e.by, e.what, e.detail FROM ledger.evidence e
 WHERE e.tenant = %(tenant)s AND e.key = %(key)s
 ORDER BY e.id
