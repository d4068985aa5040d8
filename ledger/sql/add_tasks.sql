-- Adds the rows of new tasks, in the order of their names, so that two acts never wait on each other in a ring.
-- Those that exist are held by the update that changes none: a delete cannot come between this and what follows.
-- Promises: I5, I15. Parameters: tenant; tasks, digests, agents, enabled, twins: arrays of one length.
-- Index: task_pkey; the other guard, task_twin, raises where an enabled twin stands.
-- Fewer rows than asked: those tasks exist, and are locked; treat the act as an edit.
INSERT INTO ledger.task (tenant, task, digest, agent, enabled, duplicate_hash)
SELECT %(tenant)s, k.task, k.digest, k.agent, k.enabled, k.twin
  FROM unnest(%(tasks)b::text[], %(digests)b::bytea[], %(agents)b::text[], %(enabled)b::boolean[],
              %(twins)b::bytea[]) AS k (task, digest, agent, enabled, twin)
 ORDER BY k.task
    ON CONFLICT (tenant, task) DO UPDATE SET agent = excluded.agent WHERE false
RETURNING task
