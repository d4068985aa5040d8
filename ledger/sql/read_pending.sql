-- Reads the pending rows of tasks in all lanes, with the closing of the row before each.
-- Promises: I11. Parameters: tenant; tasks: array. Index: one_open; occurrence_pkey for the row before.
-- Zero rows: nothing is open.
SELECT o.task, o.key, o.digest, o.wake, o.lane, o.due, o.run_at, o.predecessor, p.closed AS predecessor_closed, o.failures, o.history,
       o.queued, o.freed
  FROM unnest(%(tasks)b::text[]) AS k (task)
 CROSS JOIN LATERAL (
        SELECT o.* FROM ledger.occurrence o
         WHERE o.tenant = %(tenant)s AND o.task = k.task AND o.state = 'pending' ORDER BY o.lane) o
  LEFT JOIN ledger.occurrence p ON p.key = o.predecessor AND p.tenant = o.tenant
