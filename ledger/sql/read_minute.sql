-- Reads the rows that say what became of a span of a task: those due in it, of any lane; the series row next after it,
-- which covers what it passed over; all that is open, and the row that says that the series has ended. Retired rows
-- are left out: no slot has its disposition in one.
-- Promises: I8, I10, I18. Parameters: tenant, task; low, high: instants; n. Index: one_slot, one_open, ended, by task.
-- Zero rows: nothing stands for it among the hot rows.
(SELECT o.key, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.digest, o.blocked_by, o.retry_at, o.after, o.passed,
        o.source, o.tzdata, o.started, o.closed, o.closed_by, o.deadline, o.held_ms, o.error, o.crumb
   FROM ledger.occurrence o
  WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.state NOT IN ('pending', 'retired', 'ended')
    AND o.due >= %(low)s AND o.due < %(high)s
  LIMIT %(n)s)
UNION ALL
(SELECT o.key, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.digest, o.blocked_by, o.retry_at, o.after, o.passed,
        o.source, o.tzdata, o.started, o.closed, o.closed_by, o.deadline, o.held_ms, o.error, o.crumb
   FROM ledger.occurrence o
  WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.lane = 'series'
    AND o.state NOT IN ('pending', 'retired', 'ended') AND o.due >= %(high)s
  ORDER BY o.due LIMIT 1)
UNION ALL
(SELECT o.key, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.digest, o.blocked_by, o.retry_at, o.after, o.passed,
        o.source, o.tzdata, o.started, o.closed, o.closed_by, o.deadline, o.held_ms, o.error, o.crumb
   FROM ledger.occurrence o
  WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.state = 'pending'
    AND (o.lane = 'series' OR o.due >= %(low)s AND o.due < %(high)s)
  LIMIT %(n)s)
UNION ALL
(SELECT o.key, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.digest, o.blocked_by, o.retry_at, o.after, o.passed,
        o.source, o.tzdata, o.started, o.closed, o.closed_by, o.deadline, o.held_ms, o.error, o.crumb
   FROM ledger.occurrence o
   JOIN ledger.task t ON t.tenant = o.tenant AND t.task = o.task AND t.digest = o.digest AND t.enabled
  WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.state = 'ended'
  LIMIT 1)
