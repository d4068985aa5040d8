-- Reads the open row of a task's series, and from what it was derived.
-- Promises: I4. Parameters: tenant, task. Index: one_open. Zero rows: the series has ended, or the task is off.
SELECT o.key, o.digest, o.source, o.trail, o.passed
  FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.lane = 'series' AND o.state = 'pending'
