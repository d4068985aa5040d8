-- Claims runs over from one life of a process to its next, guarded by both: the old one still has them, and was not
-- expelled; the new one has not ended. Promises: I6, I7. Parameters: tenant; old, new; keys: array.
-- Index: occurrence_pkey, incarnation_pkey. Fewer rows than asked: those were closed meanwhile.
WITH mine AS (
    SELECT o.key, o.tenant
      FROM unnest(%(keys)b::uuid[]) AS k (key)
      JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = %(tenant)s
     WHERE o.started IS NOT NULL AND o.closed IS NULL AND o.incarnation = %(old)s::integer
       AND EXISTS (SELECT FROM ledger.incarnation i WHERE i.id = %(new)s::integer AND i.ended IS NULL)
       AND NOT EXISTS (SELECT FROM ledger.incarnation i WHERE i.id = %(old)s::integer AND i.expelled IS NOT NULL)
     ORDER BY o.key
       FOR UPDATE OF o
)
UPDATE ledger.occurrence o SET incarnation = %(new)s::integer
  FROM mine WHERE o.key = mine.key AND o.tenant = mine.tenant
RETURNING o.key, o.tenant
