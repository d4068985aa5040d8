-- Picks the row to drill with: open, free, plain (its reference alone derives it), more than a minute away, of the first
-- task after the one drilled last. Whatever anybody holds is passed by, so nobody waits for a drill.
-- Promises: I13. Parameters: tenant, turn: the task drilled last. Index: task_pkey, one_open, ended.
-- Zero rows: none is free behind that task.
SELECT o.key, o.task, o.run_at, clock_timestamp() AS moment
  FROM ledger.task t
  JOIN ledger.occurrence o ON o.tenant = t.tenant AND o.task = t.task
 WHERE t.tenant = %(tenant)s AND t.task > %(turn)s AND t.enabled AND o.digest = t.digest
   AND o.lane = 'series' AND o.state = 'pending' AND o.blocked_by IS NULL AND o.trail IS NULL
   AND o.run_at > now() + interval '1 minute'
   AND NOT EXISTS (SELECT FROM ledger.occurrence e
                    WHERE e.tenant = t.tenant AND e.task = t.task AND e.digest = t.digest AND e.state = 'ended')
 ORDER BY t.task
 LIMIT 1
   FOR NO KEY UPDATE OF t SKIP LOCKED
   FOR UPDATE OF o SKIP LOCKED
