-- Reads what runs under an incarnation, as it was started.
-- Promises: I7. Parameters: id. Index: one_running, walked once. Zero rows: nothing runs.
SELECT o.tenant, o.task, o.key, o.digest, o.lane, o.wake, o.due, o.run_at, o.started, o.deadline,
       o.delivery, o.handed
  FROM ledger.occurrence o
 WHERE o.state = 'running' AND o.incarnation = %(id)s::integer
 ORDER BY o.tenant, o.key
