-- Lists rows that nothing will set free: set aside, and their next try has come; or waiting for a run while none of the
-- task runs, and no row of it is due that would run and free them when it closes. Of those the oldest of each task.
-- Promises: I12, I18. Parameters: tenant, first, last. Index: waiting (empty for ordinary rows), one_running, one_open.
-- Zero rows: nothing is held in vain.
SELECT w.task, 'set aside' AS kind, w.key FROM ledger.occurrence w
 WHERE w.tenant = %(tenant)s AND w.task >= %(first)s AND w.task <= %(last)s AND w.state = 'pending'
   AND w.blocked_by IS NOT NULL AND w.blocked_by = w.key AND coalesce(w.retry_at <= now(), true)
UNION ALL
SELECT q.task, 'waiting', q.key
  FROM (SELECT DISTINCT ON (w.task) w.task, w.key FROM ledger.occurrence w
         WHERE w.tenant = %(tenant)s AND w.task >= %(first)s AND w.task <= %(last)s AND w.state = 'pending'
           AND w.blocked_by IS NOT NULL AND w.blocked_by <> w.key
         ORDER BY w.task, w.due, w.key) q
 WHERE NOT EXISTS (SELECT FROM ledger.occurrence r
                    WHERE r.tenant = %(tenant)s AND r.task = q.task AND r.state = 'running')
   AND NOT EXISTS (SELECT FROM ledger.occurrence d
                    WHERE d.tenant = %(tenant)s AND d.task = q.task AND d.state = 'pending'
                      AND d.blocked_by IS NULL AND d.run_at <= now())
