-- Reads when a series last started, for the gate after failures.
-- Parameters: ns, tenants, tasks: arrays of one length. Index: one_slot, backwards. No row for a series that never started.
SELECT k.n, a.started
  FROM unnest(%(ns)b::integer[], %(tenants)b::text[], %(tasks)b::text[]) AS k (n, tenant, task)
 CROSS JOIN LATERAL (
        SELECT a.started FROM ledger.occurrence a
         WHERE a.tenant = k.tenant AND a.task = k.task AND a.lane = 'series'
           AND a.state NOT IN ('pending', 'retired', 'ended') AND a.started IS NOT NULL
         ORDER BY a.due DESC LIMIT 1) a
