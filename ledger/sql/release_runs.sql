-- Lets go of runs that another machine has taken on: no process answers for them, only their deadline bounds them.
-- Promises: I7. Parameters: tenant; lives, keys: arrays. Index: occurrence_pkey.
-- Fewer rows than asked: those are finished already, or another process has them.
WITH mine AS (
    SELECT o.key, o.tenant
      FROM unnest(%(keys)b::uuid[]) AS k (key)
      JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = %(tenant)s
     WHERE o.started IS NOT NULL AND o.closed IS NULL AND o.incarnation = ANY (%(lives)b::integer[])
     ORDER BY o.key
       FOR UPDATE OF o
)
UPDATE ledger.occurrence o SET incarnation = NULL, handed = coalesce(o.handed, now())
  FROM mine WHERE o.key = mine.key AND o.tenant = mine.tenant
RETURNING o.key, o.tenant
