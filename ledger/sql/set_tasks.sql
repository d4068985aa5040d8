-- Moves the pointers and switches of tasks whose rows are held.
-- Promises: I5, I11. Parameters: tenant; tasks, digests, agents, enabled, twins: arrays of one length. Index: task_pkey.
-- Zero rows: the task was deleted meanwhile, which cannot be under its lock.
UPDATE ledger.task t
   SET digest = k.digest, agent = k.agent, enabled = k.enabled, duplicate_hash = k.twin
  FROM unnest(%(tasks)b::text[], %(digests)b::bytea[], %(agents)b::text[], %(enabled)b::boolean[],
              %(twins)b::bytea[]) AS k (task, digest, agent, enabled, twin)
 WHERE t.tenant = %(tenant)s AND t.task = k.task
RETURNING t.task
