-- Reads the retries of slots, open or not: which attempts there were, and how the last one stands.
-- Promises: I6. Parameters: tenant; ns, tasks, lanes, dues: arrays of one length; n is the caller's own number of the slot.
-- Index: one_slot and one_open, whole. Zero rows: nothing was tried again.
SELECT k.n, a.key, a.wake, a.state, a.reason, a.closed, a.handed, a.history, a.failures
  FROM unnest(%(ns)b::integer[], %(tasks)b::text[], %(lanes)b::text[], %(dues)b::timestamptz[]) AS k (n, task, lane, due)
 CROSS JOIN LATERAL (
        SELECT o.* FROM ledger.occurrence o
         WHERE o.tenant = %(tenant)s AND o.task = k.task AND o.lane = k.lane AND o.due = k.due
           AND o.state NOT IN ('pending', 'retired', 'ended')
        UNION ALL
        SELECT o.* FROM ledger.occurrence o
         WHERE o.tenant = %(tenant)s AND o.task = k.task AND o.lane = k.lane AND o.state = 'pending') a
