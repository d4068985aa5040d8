-- Lists what runs of a tenant. Parameters: tenant, n: rows at most. Index: one_running, by tenant.
-- Zero rows: nothing runs.
SELECT o.tenant, o.task, o.key FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.state = 'running'
 ORDER BY o.key
 LIMIT %(n)s::integer
