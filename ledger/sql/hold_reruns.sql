-- Holds reruns, so that no two claims count the same runs; one that another claim holds is passed by. How many run is read
-- in a statement after this one.
-- Parameters: tenants, requests: arrays of one length. Index: rerun_pkey. Fewer rows than asked: others hold those.
SELECT r.tenant, r.request, r.at_once
  FROM unnest(%(tenants)b::text[], %(requests)b::text[]) AS k (tenant, request)
  JOIN ledger.rerun r ON r.tenant = k.tenant AND r.request = k.request
   FOR NO KEY UPDATE OF r SKIP LOCKED
