-- Takes due rows with their tasks, oldest first; whatever someone else holds is passed by.
-- The task comes first in FROM: its lock is taken first, as everywhere. What else a decision needs is read in a
-- statement after this one: a subselect here would read the snapshot from before the locks.
-- Promises: I8, I9, I11. Parameters: deliveries: array; n: rows at most. Index: due_now, task_pkey.
-- Zero rows: nothing is due that is free. Rows of a deleted task do not join: the sweep finds them.
SELECT o.key, o.tenant, o.task, o.digest, o.state, o.blocked_by, o.reason, o.lane, o.wake, o.due, o.run_at,
       o.predecessor, o.exclusive, o.failures, o.trail ->> 'won' AS won, now() AS moment, t.enabled, t.digest AS digest_in_force
  FROM ledger.task t
  JOIN ledger.occurrence o ON t.tenant = o.tenant AND t.task = o.task
 WHERE o.state = 'pending' AND o.blocked_by IS NULL AND o.delivery <> 'pull' AND o.run_at <= now()
   AND o.delivery = ANY (%(deliveries)b::text[])
 ORDER BY o.run_at
 LIMIT %(n)s
   FOR NO KEY UPDATE OF t SKIP LOCKED
   FOR UPDATE OF o SKIP LOCKED
