-- Takes the rows of tasks, in order, before any of their occurrences; waits within the transaction's limit.
-- Promises: I3, I4, I11. Parameters: tenants, tasks: arrays of one length. Index: task_pkey.
-- Fewer rows than asked: those tasks do not exist (never defined, or deleted).
SELECT t.tenant, t.task, t.digest, t.agent, t.enabled, t.duplicate_hash
  FROM unnest(%(tenants)b::text[], %(tasks)b::text[]) AS k (tenant, task)
  JOIN ledger.task t ON t.tenant = k.tenant AND t.task = k.task
 ORDER BY t.tenant, t.task
   FOR NO KEY UPDATE OF t
