-- Reads the rows around one that lie in the archive: the row before it, those derived from it, the other rows of its slot.
-- Retired rows are left out, as among those that are hot.
-- Parameters: tenant, task, key, predecessor, due; low, high: a span of days, both ends in it.
-- Index: archive_task of those days, by task. Zero rows: none lies there.
SELECT o.key, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.started, o.closed, o.predecessor
  FROM ledger.archive o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.due >= %(low)s AND o.due <= %(high)s
   AND o.key <> %(key)s AND o.state NOT IN ('retired', 'ended')
   AND (o.predecessor = %(key)s OR o.key = %(predecessor)s OR o.due = %(due)s)
 ORDER BY o.due, o.run_at, o.lane
