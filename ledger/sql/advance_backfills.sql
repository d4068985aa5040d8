-- Counts the next slot of backfills as opened, in the transaction that opens it; the tasks are held.
-- Promises: I15. Parameters: tenants, tasks, requests: arrays of one length. Index: backfill_pkey. Answers no rows.
UPDATE ledger.backfill b
   SET opened = b.opened + 1
  FROM unnest(%(tenants)b::text[], %(tasks)b::text[], %(requests)b::text[]) AS k (tenant, task, request)
 WHERE b.tenant = k.tenant AND b.task = k.task AND b.request = k.request
