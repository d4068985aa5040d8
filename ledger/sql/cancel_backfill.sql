-- Ends a backfill: nothing more of it is opened. `unstarted`: whether the slot opened last never ran, and is free again.
-- Promises: I6. Parameters: tenant, task, request, by, unstarted. Index: backfill_pkey. Answers no rows.
UPDATE ledger.backfill b
   SET cancelled = now(), cancelled_by = %(by)s, opened = b.opened - CASE WHEN %(unstarted)s THEN 1 ELSE 0 END
 WHERE b.tenant = %(tenant)s AND b.task = %(task)s AND b.request = %(request)s AND b.cancelled IS NULL
