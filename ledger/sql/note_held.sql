-- Writes on rows that are about to start how long their tenants' caps have held them back.
-- Promises: I18. Parameters: keys, tenants, held: arrays of one length; held in milliseconds. Index: occurrence_pkey.
-- It answers no rows.
UPDATE ledger.occurrence o
   SET held_ms = k.held
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(held)b::integer[]) AS k (key, tenant, held)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.state = 'pending'
