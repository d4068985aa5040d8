-- Reads rows of the archive that say what became of a span of a task, of any lane.
-- Promises: I8, I18. Parameters: tenant, task; low, high: the span, both ends in it; n. Index: archive_task of that day.
-- Zero rows: none lies there.
SELECT a.key, a.wake, a.lane, a.state, a.reason, a.due, a.run_at, a.digest, a.blocked_by, a.retry_at, a.after, a.passed,
       a.source, a.tzdata, a.started, a.closed, a.closed_by, a.deadline, a.held_ms, a.error, a.crumb
  FROM ledger.archive a
 WHERE a.tenant = %(tenant)s AND a.task = %(task)s AND a.state NOT IN ('pending', 'retired', 'ended')
   AND a.due >= %(low)s AND a.due <= %(high)s
 LIMIT %(n)s
