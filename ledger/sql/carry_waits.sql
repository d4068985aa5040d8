-- Writes how long slots have waited to the rows that stand for them now, after an edit: it makes nothing late.
-- Promises: I11. Parameters: tenant; keys, queued, freed: arrays of one length. Index: occurrence_pkey.
-- Fewer rows than asked: those left pending meanwhile, which cannot be under the locks of their tasks.
UPDATE ledger.occurrence o
   SET queued = k.queued, freed = k.freed
  FROM unnest(%(keys)b::uuid[], %(queued)b::timestamptz[], %(freed)b::timestamptz[]) AS k (key, queued, freed)
 WHERE o.key = k.key AND o.tenant = %(tenant)s AND o.state = 'pending'
RETURNING o.key, o.tenant
