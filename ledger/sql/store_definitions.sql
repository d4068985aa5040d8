-- Keeps authored texts by their digests, once: an occurrence finds exactly the text it was projected from.
-- Promises: I15. Parameters: tenant, at, by, version; digests, texts: arrays of one length. Index: definition_pkey.
-- Answers no rows.
INSERT INTO ledger.definition (tenant, digest, version, canonical, at, by)
SELECT %(tenant)s, k.digest, %(version)s, k.canonical, %(at)s, %(by)s
  FROM unnest(%(digests)b::bytea[], %(texts)b::text[]) AS k (digest, canonical)
    ON CONFLICT (tenant, digest) DO NOTHING
