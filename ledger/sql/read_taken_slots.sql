-- Reads which slots of a task have run in its series, or are another backfill's: run or still to be run by it. Those of a
-- cancelled one that it never came to are free again.
-- Promises: I8, I16. Parameters: tenant, task; slots: array, in order. Index: one_slot, archive_task and backfill_pkey, each
-- by task, once for each slot asked, the last once. Zero rows: all are free.
SELECT k.due
  FROM unnest(%(slots)b::timestamptz[]) AS k (due)
 WHERE EXISTS (SELECT FROM ledger.occurrence o
                WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.lane = 'series' AND o.due = k.due
                  AND o.state NOT IN ('pending', 'retired', 'ended') AND o.started IS NOT NULL)
    OR EXISTS (SELECT FROM ledger.archive a
                WHERE a.tenant = %(tenant)s AND a.task = %(task)s AND a.due = k.due AND a.lane = 'series'
                  AND a.started IS NOT NULL)
 UNION
SELECT s.due
  FROM ledger.backfill b
 CROSS JOIN LATERAL unnest(CASE WHEN b.cancelled IS NULL THEN b.slots ELSE b.slots[:b.opened] END) AS s (due)
  JOIN unnest(%(slots)b::timestamptz[]) AS k (due) ON k.due = s.due
 WHERE b.tenant = %(tenant)s AND b.task = %(task)s
