-- Reads the rows around one: the row before it, those derived from it, and the other rows of its slot.
-- Retired rows are left out: what was derived from them was derived again.
-- Parameters: tenant, task, key, predecessor, due. Index: one_slot, one_open and ended, by task.
-- Zero rows: it stands alone.
SELECT o.key, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.started, o.closed, o.predecessor
  FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.key <> %(key)s
   AND o.state NOT IN ('pending', 'retired', 'ended')
   AND (o.predecessor = %(key)s OR o.key = %(predecessor)s OR o.due = %(due)s)
 UNION ALL
SELECT o.key, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.started, o.closed, o.predecessor
  FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.key <> %(key)s AND o.state = 'pending'
   AND (o.predecessor = %(key)s OR o.due = %(due)s)
 UNION ALL
SELECT o.key, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.started, o.closed, o.predecessor
  FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.state = 'ended' AND o.predecessor = %(key)s
 ORDER BY due, run_at, lane
