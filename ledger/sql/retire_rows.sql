-- Retires pending rows whose facts no longer hold; the row stays, and whoever derives its key again revives it.
-- Promises: I6, I11, I18. Parameters: keys, tenants: arrays of one length; reason, at, by. Index: occurrence_pkey.
-- Fewer rows than asked: those left pending meanwhile, which cannot be under the locks of their tasks.
UPDATE ledger.occurrence o
   SET state = 'retired', reason = %(reason)s, blocked_by = NULL, retry_at = NULL, queued = NULL, freed = NULL,
       history = coalesce(o.history, '[]')
                 || jsonb_build_object('retired', %(at)s::text, 'by', %(by)s::text, 'why', %(reason)s::text)
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.state = 'pending'
RETURNING o.key, o.tenant
