-- Frees rows that wait for nothing; their tasks are held.
-- Promises: I18. Parameters: tenant; keys: array. Index: occurrence_pkey. Fewer rows than asked: no longer waiting.
UPDATE ledger.occurrence o
   SET blocked_by = NULL, reason = NULL, freed = now()
  FROM unnest(%(keys)b::uuid[]) AS k (key)
 WHERE o.key = k.key AND o.tenant = %(tenant)s AND o.state = 'pending' AND o.blocked_by <> o.key
RETURNING o.key, o.tenant
