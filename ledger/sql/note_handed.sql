-- Notes that runs are being handed over to another machine: from now on nobody knows how far they came.
-- Promises: I7. Parameters: tenant; lives, keys: arrays. Index: occurrence_pkey.
-- Fewer rows than asked: those are closed, or another process has them; they must not be sent.
WITH mine AS (
    SELECT o.key, o.tenant
      FROM unnest(%(keys)b::uuid[]) AS k (key)
      JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = %(tenant)s
     WHERE o.started IS NOT NULL AND o.closed IS NULL AND o.incarnation = ANY (%(lives)b::integer[])
     ORDER BY o.key
       FOR UPDATE OF o
)
UPDATE ledger.occurrence o SET handed = coalesce(o.handed, now())
  FROM mine WHERE o.key = mine.key AND o.tenant = mine.tenant
RETURNING o.key, o.tenant
