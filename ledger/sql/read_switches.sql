-- Reads how every task of a tenant stands: its switch and the text in force.
-- Parameters: tenant. Index: task_pkey, definition_pkey. Zero rows: the tenant has no tasks.
SELECT t.task, t.enabled, t.digest, d.canonical
  FROM ledger.task t
  JOIN ledger.definition d ON d.tenant = t.tenant AND d.digest = t.digest
 WHERE t.tenant = %(tenant)s
 ORDER BY t.task
