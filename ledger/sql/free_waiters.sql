-- Frees, for each task of which a run has closed, the oldest row that waits; rows set aside are not waiting.
-- It is locked as it is chosen, so that one which is cancelled at this moment leaves its turn to the next; and chosen once
-- for each task, before the update: a second choice would pass by the row that this statement has freed already.
-- Promises: I18. Parameters: tenants, tasks: arrays of one length. Index: waiting (empty for ordinary rows), occurrence_pkey.
-- Zero rows: nothing waits.
WITH oldest AS MATERIALIZED (
    SELECT w.key, w.tenant
      FROM (SELECT DISTINCT a.tenant, a.task FROM unnest(%(tenants)b::text[], %(tasks)b::text[]) AS a (tenant, task)) k
     CROSS JOIN LATERAL (
            SELECT w.key, w.tenant FROM ledger.occurrence w
             WHERE w.tenant = k.tenant AND w.task = k.task AND w.state = 'pending'
               AND w.blocked_by IS NOT NULL AND w.blocked_by <> w.key
             ORDER BY w.due, w.key LIMIT 1 FOR UPDATE) w
)
UPDATE ledger.occurrence o
   SET blocked_by = NULL, reason = NULL, freed = now()
  FROM oldest
 WHERE o.key = oldest.key AND o.tenant = oldest.tenant AND o.state = 'pending' AND o.blocked_by <> o.key
RETURNING o.key, o.tenant, o.run_at, now() AS moment
