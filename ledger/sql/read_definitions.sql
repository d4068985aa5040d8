-- Reads authored texts by their digests.
-- Parameters: tenants, digests: arrays of one length. Index: definition_pkey.
-- Fewer rows than asked: a definition is missing, which no act can have caused; the row that names it is set aside.
SELECT d.tenant, d.digest, d.canonical
  FROM unnest(%(tenants)b::text[], %(digests)b::bytea[]) AS k (tenant, digest)
  JOIN ledger.definition d ON d.tenant = k.tenant AND d.digest = k.digest
