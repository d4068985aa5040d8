-- Reads all that runs of tasks: where one replaces, every run gives way, also those of a policy that allowed many.
-- Promises: I8. Parameters: tenants, tasks: arrays of one length. Index: one_running, by LATERAL, whole.
-- Zero rows: nothing of them runs any more.
SELECT k.n::integer AS n, r.key
  FROM unnest(%(tenants)b::text[], %(tasks)b::text[]) WITH ORDINALITY AS k (tenant, task, n)
 CROSS JOIN LATERAL (
        SELECT r.key FROM ledger.occurrence r
         WHERE r.tenant = k.tenant AND r.task = k.task AND r.state = 'running' LIMIT 10000) r
