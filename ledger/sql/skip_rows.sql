-- Closes pending rows that will not run, each with its reason and the run in its way.
-- Promises: I6, I8, I18. Parameters: keys, tenants, reasons, blockers, failures: arrays of one length; by.
-- Index: occurrence_pkey; one_slot raises where the slot has its disposition.
-- Fewer rows than asked: those left pending meanwhile, which cannot be under the locks of their tasks.
UPDATE ledger.occurrence o
   SET state = 'skipped', closed = now(), closed_by = %(by)s, reason = k.reason, blocked_by = k.blocker, failures = k.failures
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(reasons)b::text[], %(blockers)b::uuid[], %(failures)b::integer[])
       AS k (key, tenant, reason, blocker, failures)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.state = 'pending'
RETURNING o.key, o.tenant
