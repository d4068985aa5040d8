-- Reads rows by key, to compare what stands there with what was derived.
-- Parameters: keys, tenants: arrays of one length. Index: occurrence_pkey. Fewer rows than asked: no such key.
SELECT o.key, o.tenant, o.task, o.fingerprint, o.state, o.due
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
  JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = k.tenant
