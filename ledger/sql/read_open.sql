-- Reads the open rows of a tenant, soonest first.
-- Parameters: tenant, n. Index: one_open, by tenant. Zero rows: nothing is open.
SELECT o.key, o.task, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.blocked_by, o.retry_at, o.started, o.deadline,
       o.closed, o.closed_by, o.failures, o.result, o.error, o.crumb, o.digest
  FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.state = 'pending'
 ORDER BY o.run_at, o.key
 LIMIT %(n)s
