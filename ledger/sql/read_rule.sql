-- Reads what time it is and the definition of a task in force, without its lock: what is long to compute from it is
-- computed before anybody has to wait.
-- Promises: I9. Parameters: tenant, task. Index: task_pkey, definition_pkey. One row; its text is null: no such task.
SELECT clock_timestamp() AS moment, d.digest, d.canonical
  FROM (VALUES (1)) one
  LEFT JOIN ledger.task t ON t.tenant = %(tenant)s AND t.task = %(task)s
  LEFT JOIN ledger.definition d ON d.tenant = t.tenant AND d.digest = t.digest
