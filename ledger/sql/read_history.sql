-- Reads rows that run or are closed, latest slot first, a page at a time.
-- Parameters: tenant; states: array; due, key: the last row of the page before; n. Index: one_slot, by tenant.
-- Zero rows: nothing lies before that row.
SELECT o.key, o.task, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.blocked_by, o.retry_at, o.started, o.deadline,
       o.closed, o.closed_by, o.failures, o.result, o.error, o.crumb, o.digest
  FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.state NOT IN ('pending', 'retired', 'ended') AND o.state = ANY (%(states)b::text[])
   AND (o.due, o.key) < (%(due)s, %(key)s)
 ORDER BY o.due DESC, o.key DESC
 LIMIT %(n)s
