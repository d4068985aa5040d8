-- Reads a backfill, and how its lane stands: the row that is open, the runs, and whether the slot that was opened last has
-- had its turn. Under the lock of its task.
-- Promises: I3, I15. Parameters: tenant, task, request. Index: backfill_pkey, one_open, one_slot, one_running; archive_task
-- where the slot is not among the hot rows. Zero rows: the request is new.
SELECT b.since, b.until, b.slots, b.opened, b.ran, b.coming, b.at_once, b.cancelled, o.key AS open_key, r.running,
       b.opened = 0
       OR EXISTS (SELECT FROM ledger.occurrence d
                   WHERE d.tenant = b.tenant AND d.task = b.task AND d.lane = l.lane AND d.due = b.slots[b.opened]
                     AND d.state NOT IN ('pending', 'retired', 'ended'))
       OR EXISTS (SELECT FROM ledger.archive a
                   WHERE a.tenant = b.tenant AND a.task = b.task AND a.due = b.slots[b.opened] AND a.lane = l.lane
                     AND a.state <> 'retired') AS disposed
  FROM ledger.backfill b
 CROSS JOIN LATERAL (SELECT 'backfill:' || b.request AS lane) l
  LEFT JOIN ledger.occurrence o
    ON o.tenant = b.tenant AND o.task = b.task AND o.lane = l.lane AND o.state = 'pending'
 CROSS JOIN LATERAL (
        SELECT count(*)::integer AS running FROM ledger.occurrence r
         WHERE r.tenant = b.tenant AND r.task = b.task AND r.state = 'running'
           AND (r.lane = l.lane OR right(r.wake, length(l.lane) + 1) = ':' || l.lane)) r
 WHERE b.tenant = %(tenant)s AND b.task = %(task)s AND b.request = %(request)s
