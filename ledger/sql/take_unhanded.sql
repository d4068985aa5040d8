-- Claims runs over from a process that is gone, of those that it had not handed over yet; the new one has not ended.
-- Promises: I6, I7. Parameters: tenant; old, new; keys: array. Index: occurrence_pkey.
-- Fewer rows than asked: those were closed, or handed over, or others were faster.
WITH mine AS (
    SELECT o.key, o.tenant
      FROM unnest(%(keys)b::uuid[]) AS k (key)
      JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = %(tenant)s
     WHERE o.started IS NOT NULL AND o.closed IS NULL AND o.incarnation = %(old)s::integer AND o.handed IS NULL
       AND EXISTS (SELECT FROM ledger.incarnation i WHERE i.id = %(new)s::integer AND i.ended IS NULL)
     ORDER BY o.key
       FOR UPDATE OF o
)
UPDATE ledger.occurrence o SET incarnation = %(new)s::integer
  FROM mine WHERE o.key = mine.key AND o.tenant = mine.tenant
RETURNING o.key, o.tenant
