-- Reads the retries of slots that ran or are closed.
-- Parameters: ns, tenants, tasks, lanes, dues: arrays of one length; n is the caller's own number of the slot.
-- Index: one_slot, whole. Zero rows: no retry has begun.
SELECT k.n, a.failures, a.started, a.closed
  FROM unnest(%(ns)b::integer[], %(tenants)b::text[], %(tasks)b::text[], %(lanes)b::text[], %(dues)b::timestamptz[])
       AS k (n, tenant, task, lane, due)
 CROSS JOIN LATERAL (
        SELECT a.failures, a.started, a.closed FROM ledger.occurrence a
         WHERE a.tenant = k.tenant AND a.task = k.task AND a.lane = k.lane AND a.due = k.due
           AND a.state NOT IN ('pending', 'retired', 'ended') LIMIT 1) a
