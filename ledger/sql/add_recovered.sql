-- Writes successes that are the first after failures into the outbox, in the transaction that closes them.
-- Promises: I6, I7. Parameters: keys, tenants: arrays of one length. Index: occurrence_pkey; event_pkey.
-- Answers no rows: of those asked for the ones whose rows say so are told.
INSERT INTO ledger.event (key, tenant, task, kind, at, wake, due, reason, failures, retry)
SELECT o.key, o.tenant, o.task, 'recovered', now(), o.wake, o.due, o.reason, 0, false
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
  JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = k.tenant
 WHERE o.state = 'succeeded' AND o.reason IS NOT NULL
