-- Lists the tasks of a tenant, and the names under which a row is open or runs though no task stands there: what a look that
-- fails as a whole is taken apart by.
-- Promises: I12. Parameters: tenant. Index: task_pkey, one_open, one_running. Zero rows: the tenant has nothing.
SELECT n.task, bool_or(n.enabled) AS enabled
  FROM (SELECT t.task, t.enabled FROM ledger.task t WHERE t.tenant = %(tenant)s
        UNION ALL
        SELECT o.task, false FROM ledger.occurrence o WHERE o.tenant = %(tenant)s AND o.state = 'pending'
        UNION ALL
        SELECT r.task, false FROM ledger.occurrence r WHERE r.tenant = %(tenant)s AND r.state = 'running') n
 GROUP BY n.task
 ORDER BY n.task
