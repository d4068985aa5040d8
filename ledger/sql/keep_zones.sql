-- Says of rows that the zone rules of another release give the same instant, so that nobody need ask again.
-- Promises: I20. Parameters: keys, tenants: arrays of one length; tzdata. Index: occurrence_pkey.
-- Fewer rows than asked: those are neither open nor ended any more, and their successors say it of themselves.
UPDATE ledger.occurrence o SET tzdata = %(tzdata)s
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.state IN ('pending', 'ended')
RETURNING o.key, o.tenant
