-- Closes pending rows that a person does not want.
-- Promises: I6, I8. Parameters: keys, tenants: arrays of one length; by, reason. Index: occurrence_pkey.
-- Zero rows: no longer pending, which cannot be under the lock of the task.
UPDATE ledger.occurrence o
   SET state = 'cancelled', closed = now(), closed_by = %(by)s, reason = %(reason)s, blocked_by = NULL, retry_at = NULL
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.state = 'pending'
RETURNING o.key, o.tenant
