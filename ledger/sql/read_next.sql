-- Reads what a series does next: its open row, or the row that says it has ended under the digest in force.
-- Promises: I4. Parameters: tenant, task. Index: one_open; else task_pkey and ended, by the digest of the task's row.
-- Zero rows: the task is disabled or gone, or its open row is missing, which the sweep repairs.
SELECT o.state, o.due, o.key FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.lane = 'series' AND o.state = 'pending'
 UNION ALL
SELECT e.state, e.due, e.key
  FROM ledger.task t
  JOIN ledger.occurrence e ON e.tenant = t.tenant AND e.task = t.task AND e.digest = t.digest AND e.state = 'ended'
 WHERE t.tenant = %(tenant)s AND t.task = %(task)s AND t.enabled
 LIMIT 1
