-- Reads the open rows of tasks, and whether each stood in the ledger before this transaction: one that it made has the
-- transaction's own time as its creation's; one that was retired and is open again is older.
-- Promises: I3. Parameters: tenant; tasks: array. Index: one_open, by task. Zero rows: nothing is open.
SELECT o.key, o.task, o.wake, o.due, o.run_at, o.reason, (o.created < now()) AS stood
  FROM unnest(%(tasks)b::text[]) AS k (task)
  JOIN ledger.occurrence o ON o.tenant = %(tenant)s AND o.task = k.task AND o.state = 'pending'
 ORDER BY o.run_at, o.key
