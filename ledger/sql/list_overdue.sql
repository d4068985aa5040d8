-- Lists runs whose deadline has passed, whoever runs them. Closing them is a transaction for each tenant.
-- Promises: I6. Parameters: n: rows at most. Index: one_running, walked once. Zero rows: nothing is overdue.
SELECT o.tenant, o.task, o.key
  FROM ledger.occurrence o
 WHERE o.state = 'running' AND o.deadline <= now()
 ORDER BY o.tenant, o.key
 LIMIT %(n)s::integer
