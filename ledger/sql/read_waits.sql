-- Reads from when until when rows waited for runs in their way: so long their lateness does not count.
-- Parameters: ns, keys, tenants: arrays of one length; n is the caller's own number of the row. Index: occurrence_pkey.
-- No row for one that never waited.
SELECT k.n, o.queued, o.freed
  FROM unnest(%(ns)b::integer[], %(keys)b::uuid[], %(tenants)b::text[]) AS k (n, key, tenant)
  JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = k.tenant
 WHERE o.queued IS NOT NULL AND o.freed IS NOT NULL
