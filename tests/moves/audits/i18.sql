-- I18: what was due and did not start says why: a reason, and for an overlap the run that was in its way; what
-- waits names the run that it waits for. Nothing waits for ever: a run of the task will end, or one that was freed
-- before it is about to run.
SELECT o.tenant, o.task, o.key, o.state, o.reason, o.blocked_by
  FROM ledger.occurrence o
  LEFT JOIN ledger.occurrence b ON b.key = o.blocked_by AND b.tenant = o.tenant AND b.task = o.task
 WHERE (o.state = 'skipped' AND coalesce(o.reason, '') NOT IN
           ('overlap', 'misfire', 'backoff', 'suspended', 'quota', 'agent_gone'))
    OR (o.state = 'skipped' AND (o.reason = 'overlap') <> (b.started IS NOT NULL))
    OR (o.state = 'pending' AND (o.blocked_by IS NULL) <> (o.reason IS NULL))
    OR (o.state = 'pending' AND o.blocked_by <> o.key AND b.started IS NULL)
    OR (o.state = 'pending' AND o.blocked_by <> o.key AND NOT EXISTS (
           SELECT FROM ledger.occurrence r
            WHERE r.tenant = o.tenant AND r.task = o.task
              AND (r.state = 'running'
                   OR r.state = 'pending' AND (r.lane <> 'series' OR r.queued IS NOT NULL AND r.run_at <= now())
                      AND coalesce(r.blocked_by, r.key) = r.key)))
