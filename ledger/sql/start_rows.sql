-- Marks pending rows as running, now, by this incarnation (null: a runtime of the platform's own).
-- Promises: I6, I8, I9. Parameters: keys, tenants, timeouts, failures: arrays of one length; incarnation, handed.
-- Index: occurrence_pkey; one_slot and one_running raise where the slot or the task runs already.
-- Fewer rows than asked: those left pending meanwhile, which cannot be under the locks of their tasks.
UPDATE ledger.occurrence o
   SET state = 'running', started = now(), deadline = now() + k.timeout, incarnation = %(incarnation)s, reason = NULL,
       failures = k.failures, handed = CASE WHEN %(handed)s THEN now() END
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(timeouts)b::interval[], %(failures)b::integer[])
       AS k (key, tenant, timeout, failures)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.state = 'pending' AND o.run_at <= now()
RETURNING 1 AS one
