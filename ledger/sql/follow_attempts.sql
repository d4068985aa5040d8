-- Reads the attempts at slots beyond their first runs, 1, 2, … as far as one follows another, open ones too. The lane of
-- attempt i is `head`, i, `tail`. The tasks are held.
-- Promises: I8. Parameters: tenant, ns, tasks, dues, heads, tails: arrays of one length; n is the caller's own number.
-- Index: one_slot and one_open, whole, and archive_task by slot, once for each attempt. Zero rows: each slot had one run.
SELECT k.n, a.i, a.key, a.state
  FROM unnest(%(ns)b::integer[], %(tasks)b::text[], %(dues)b::timestamptz[], %(heads)b::text[], %(tails)b::text[])
       AS k (n, task, due, head, tail)
 CROSS JOIN LATERAL (
        WITH RECURSIVE attempt AS (
            SELECT 0 AS i, NULL::uuid AS key, NULL::text COLLATE "C" AS state
             UNION ALL
            SELECT before.i + 1, one.key, one.state
              FROM attempt before
             CROSS JOIN LATERAL (SELECT k.head || (before.i + 1)::text || k.tail AS lane) l
             CROSS JOIN LATERAL (
                    SELECT o.key, o.state FROM ledger.occurrence o
                     WHERE o.tenant = %(tenant)s AND o.task = k.task AND o.lane = l.lane AND o.due = k.due
                       AND o.state NOT IN ('pending', 'retired', 'ended')
                     UNION ALL
                    SELECT p.key, p.state FROM ledger.occurrence p
                     WHERE p.tenant = %(tenant)s AND p.task = k.task AND p.lane = l.lane AND p.state = 'pending'
                     UNION ALL
                    SELECT a.key, a.state FROM ledger.archive a
                     WHERE a.tenant = %(tenant)s AND a.task = k.task AND a.due = k.due AND a.lane = l.lane
                       AND a.state <> 'retired'
                     LIMIT 1) one
        )
        SELECT attempt.i, attempt.key, attempt.state FROM attempt WHERE attempt.i > 0) a
