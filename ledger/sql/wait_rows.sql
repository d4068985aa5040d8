-- Lets pending rows wait for the run in their way, outside the due indexes; its finish frees the oldest.
-- The run is held while this is written: a finish either sees the waiting row or is seen here.
-- Promises: I6, I18. Parameters: keys, tenants, blockers: arrays of one length. Index: occurrence_pkey.
-- Fewer rows than asked: their run has finished; they stay due and are claimed again.
WITH run AS (
    SELECT b.key, b.tenant
      FROM unnest(%(blockers)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
      JOIN ledger.occurrence b ON b.key = k.key AND b.tenant = k.tenant
     WHERE b.started IS NOT NULL AND b.closed IS NULL
     ORDER BY b.key
       FOR SHARE OF b
)
UPDATE ledger.occurrence o
   SET blocked_by = k.blocker, reason = 'waiting', queued = coalesce(o.queued, now()), freed = NULL
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(blockers)b::uuid[]) AS k (key, tenant, blocker), run
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.state = 'pending'
   AND run.key = k.blocker AND run.tenant = k.tenant
RETURNING o.key, o.tenant
