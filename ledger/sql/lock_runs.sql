-- Takes rows that are to be closed, in the order of their keys, and reads how they stand.
-- Promises: I7. Parameters: keys, tenants: arrays of one length. Index: occurrence_pkey.
-- Fewer rows than asked: no such key.
SELECT o.key, o.tenant, o.task, o.state, o.reason, o.wake, o.lane, o.due, o.digest, o.failures, o.incarnation,
       o.deadline, o.handed, o.history, now() AS moment
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
  JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = k.tenant
 ORDER BY o.key
   FOR UPDATE OF o
