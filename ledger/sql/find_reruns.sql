-- Finds the reruns that rows belong to.
-- Parameters: ns, tenants, tasks, lanes: arrays of one length; n is the caller's own number. Index: rerun_row_pkey, by
-- LATERAL. Zero rows: they are retries that nobody asked for.
SELECT k.n, i.request
  FROM unnest(%(ns)b::integer[], %(tenants)b::text[], %(tasks)b::text[], %(lanes)b::text[]) AS k (n, tenant, task, lane)
 CROSS JOIN LATERAL (
        SELECT i.request FROM ledger.rerun_row i
         WHERE i.tenant = k.tenant AND i.task = k.task AND i.lane = k.lane LIMIT 1) i
