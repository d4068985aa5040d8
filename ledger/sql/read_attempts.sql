-- Reads how the last attempt of slots after their first run stands: retry 1, 2, … as far as one follows another. How many
-- there are is not asked of the definition: an edit may have lowered it, and attempts handed back are outside of it.
-- Parameters: ns, tenants, tasks, slots (the slot's text, as lanes have it), dues: arrays of one length; n is the caller's
-- own number of the slot. Index: one_slot, whole, once for each attempt. Zero rows: no retry has begun.
SELECT k.n, a.failures
  FROM unnest(%(ns)b::integer[], %(tenants)b::text[], %(tasks)b::text[], %(slots)b::text[], %(dues)b::timestamptz[])
       AS k (n, tenant, task, slot, due)
 CROSS JOIN LATERAL (
        WITH RECURSIVE attempt AS (
            SELECT 1 AS i, o.failures FROM ledger.occurrence o
             WHERE o.tenant = k.tenant AND o.task = k.task AND o.lane = 'retry:1@' || k.slot AND o.due = k.due
               AND o.state NOT IN ('pending', 'retired', 'ended')
             UNION ALL
            SELECT before.i + 1, o.failures
              FROM attempt before
              JOIN ledger.occurrence o
                ON o.tenant = k.tenant AND o.task = k.task
               AND o.lane = 'retry:' || (before.i + 1)::text || '@' || k.slot AND o.due = k.due
               AND o.state NOT IN ('pending', 'retired', 'ended')
        )
        SELECT last.failures FROM attempt last ORDER BY last.i DESC LIMIT 1) a
