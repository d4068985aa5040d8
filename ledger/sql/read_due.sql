-- Reads rows that the platform's own runtime may start now, oldest first; nothing is locked or promised by it.
-- Promises: I9, I11. Parameters: tenant, n. Index: due_tenant, task_pkey. Zero rows: nothing is due.
SELECT o.key, o.task, o.wake, o.due, o.run_at, d.canonical
  FROM ledger.occurrence o
  JOIN ledger.task t ON t.tenant = o.tenant AND t.task = o.task AND t.enabled AND t.digest = o.digest
  JOIN ledger.definition d ON d.tenant = o.tenant AND d.digest = o.digest
 WHERE o.tenant = %(tenant)s AND o.state = 'pending' AND o.blocked_by IS NULL AND o.run_at <= now()
   AND o.delivery = 'pull'
 ORDER BY o.run_at, o.key
 LIMIT %(n)s
