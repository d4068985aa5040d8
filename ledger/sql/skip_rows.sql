-- Closes pending rows that will not run, each with its reason and the run in its way, and tells of each in the outbox.
-- Promises: I6, I8, I18. Parameters: keys, tenants, reasons, blockers, failures: arrays of one length; by.
-- Index: occurrence_pkey; one_slot raises where the slot has its disposition.
-- Fewer rows than asked: those left pending meanwhile, which cannot be under the locks of their tasks.
WITH skipped AS (
    UPDATE ledger.occurrence o
       SET state = 'skipped', closed = now(), closed_by = %(by)s, reason = k.reason, blocked_by = k.blocker, failures = k.failures
      FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(reasons)b::text[], %(blockers)b::uuid[], %(failures)b::integer[])
           AS k (key, tenant, reason, blocker, failures)
     WHERE o.key = k.key AND o.tenant = k.tenant AND o.state = 'pending'
    RETURNING o.key, o.tenant, o.task, o.wake, o.due, o.reason, o.blocked_by, o.failures
), told AS (
    INSERT INTO ledger.event (key, tenant, task, kind, at, wake, due, reason, blocker, failures, retry)
    SELECT s.key, s.tenant, s.task, 'skipped', now(), s.wake, s.due, s.reason, s.blocked_by, s.failures, false
      FROM skipped s
)
SELECT s.key, s.tenant FROM skipped s
