-- Reads the newest acts of a task, newest first.
-- Promises: I10. Parameters: tenant, task, n. Index: act_pkey, backwards. Zero rows: the task was never defined.
SELECT a.n, a.at, a.by, a.what, a.digest, a.enabled, a.resume_after, a.note FROM ledger.act a
 WHERE a.tenant = %(tenant)s AND a.task = %(task)s
 ORDER BY a.n DESC
 LIMIT %(n)s
