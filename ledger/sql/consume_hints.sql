-- Marks one-shots with the key of the row that starts for them: the one that they put there, or one not before their instant.
-- Promises: I8. Parameters: keys, tenants: arrays of one length. Index: occurrence_pkey, hint_pkey.
-- Zero rows: none of these rows has a one-shot behind it.
UPDATE ledger.hint h
   SET consumed_by = o.key
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
  JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = k.tenant
 WHERE h.tenant = o.tenant AND h.task = o.task AND h.kind = 'oneshot' AND h.consumed_by IS NULL
   AND (o.trail ->> 'won' = 'oneshot' OR greatest(h.at, h.given) <= o.due)
RETURNING h.task
