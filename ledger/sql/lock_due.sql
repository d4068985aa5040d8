-- Takes one row by its key, whatever its state; its task's row is held already, where the task exists.
-- Promises: I8, I11. Parameters: key, tenant. Index: occurrence_pkey, task_pkey. Zero rows: no such key.
SELECT o.key, o.tenant, o.task, o.digest, o.state, o.blocked_by, o.reason, o.lane, o.wake, o.due, o.run_at,
       o.predecessor, o.exclusive, o.failures, o.trail ->> 'won' AS won, now() AS moment, t.enabled, t.digest AS digest_in_force
  FROM ledger.occurrence o
  LEFT JOIN ledger.task t ON t.tenant = o.tenant AND t.task = o.task
 WHERE o.key = %(key)s AND o.tenant = %(tenant)s
   FOR UPDATE OF o
