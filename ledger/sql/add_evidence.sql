-- Keeps what came too late to count.
-- Promises: I7. Parameters: by; keys, tenants, whats, details: arrays of one length. Answers no rows.
INSERT INTO ledger.evidence (tenant, key, at, by, what, detail)
SELECT k.tenant, k.key, now(), %(by)s, k.what, k.detail
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(whats)b::text[], %(details)b::text[]) AS k (key, tenant, what, detail)
