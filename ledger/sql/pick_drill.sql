-- Picks the row to drill with: open, free, such as its reference and the hints derive (a misfire's is not), more than a
-- minute away, of the first task after the one drilled last. Whatever anybody holds is passed by, so nobody waits for a
-- drill. Task by task, by LATERAL: as a join it is planned, for tenants of few tasks, as a loop over all open rows for each.
-- Promises: I13. Parameters: tenant; turn: the task drilled last; without: tasks whose rules cannot be read. Index: task_pkey, one_open, ended, a row each.
-- Zero rows: none is free behind that task.
SELECT o.key, t.task, o.run_at, clock_timestamp() AS moment
  FROM ledger.task t
 CROSS JOIN LATERAL (
        SELECT s.key, s.run_at FROM ledger.occurrence s
         WHERE s.tenant = t.tenant AND s.task = t.task AND s.lane = 'series' AND s.state = 'pending' AND s.digest = t.digest
           AND s.blocked_by IS NULL AND (s.trail IS NULL OR NOT s.trail ? 'misfire') AND s.run_at > now() + interval '1 minute'
           FOR UPDATE OF s SKIP LOCKED) o
 WHERE t.tenant = %(tenant)s AND t.task > %(turn)s AND t.enabled
   AND t.task NOT IN (SELECT unnest(%(without)b::text[]))
   AND NOT EXISTS (SELECT FROM ledger.occurrence e
                    WHERE e.tenant = t.tenant AND e.task = t.task AND e.digest = t.digest AND e.state = 'ended')
 ORDER BY t.task
 LIMIT 1
   FOR NO KEY UPDATE OF t SKIP LOCKED
