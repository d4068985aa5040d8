-- Holds reruns, so that no two claims count the same runs; one that another claim holds is passed by. How many run is read
-- in a statement after this one.
-- Parameters: tenants, requests: arrays of one length. Index: rerun_pkey, by LATERAL. Fewer rows than asked: others hold
-- those.
SELECT r.tenant, r.request, r.at_once
  FROM unnest(%(tenants)b::text[], %(requests)b::text[]) AS k (tenant, request)
 CROSS JOIN LATERAL (
        SELECT r.tenant, r.request, r.at_once FROM ledger.rerun r
         WHERE r.tenant = k.tenant AND r.request = k.request LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) r
