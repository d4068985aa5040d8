-- Puts pending rows off whose turn it is not: they are looked at again after their waits.
-- Promises: I6. Parameters: keys, tenants, waits: arrays of one length. Index: occurrence_pkey. Answers no rows.
UPDATE ledger.occurrence o
   SET run_at = now() + k.wait
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(waits)b::interval[]) AS k (key, tenant, wait)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.state = 'pending'
