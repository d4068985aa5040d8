-- Reads the open series rows of tasks whose texts name a zone, and the rows that say such a series has ended, where
-- another release of the zone rules gave the instant than the one that is asked for; by task, at most n of them. Task and
-- text by LATERAL, row by row: as joins they are planned for one row, and walked for each when there are thousands.
-- Promises: I20. Parameters: tenant, first, last (tasks, both in it), tzdata, n (null: all). Index: one_open, ended,
-- task_pkey, definition_pkey. Zero rows: the zone rules asked for gave every instant.
SELECT o.task, o.digest, d.canonical, o.key, o.state, o.wake, o.due, o.after, o.base, o.trail, clock_timestamp() AS moment
  FROM (SELECT s.task, s.digest, s.key, s.state, s.wake, s.due, s.after, s.base, s.trail FROM ledger.occurrence s
         WHERE s.tenant = %(tenant)s AND s.task >= %(first)s AND s.task <= %(last)s AND s.state = 'pending'
           AND s.lane = 'series' AND s.tzdata IS DISTINCT FROM %(tzdata)s::text
        UNION ALL
        SELECT e.task, e.digest, e.key, e.state, e.wake, e.due, e.after, e.base, e.trail FROM ledger.occurrence e
         WHERE e.tenant = %(tenant)s AND e.task >= %(first)s AND e.task <= %(last)s AND e.state = 'ended'
           AND e.tzdata IS DISTINCT FROM %(tzdata)s::text
           AND NOT EXISTS (SELECT FROM ledger.occurrence p
                            WHERE p.tenant = e.tenant AND p.task = e.task AND p.lane = 'series' AND p.state = 'pending')) o
 CROSS JOIN LATERAL (
        SELECT t.digest FROM ledger.task t
         WHERE t.tenant = %(tenant)s AND t.task = o.task AND t.enabled AND t.digest = o.digest LIMIT 1) t
 CROSS JOIN LATERAL (
        SELECT d.canonical FROM ledger.definition d
         WHERE d.tenant = %(tenant)s AND d.digest = o.digest AND d.canonical LIKE '%%"timezone":"%%' LIMIT 1) d
 ORDER BY o.task
 LIMIT %(n)s
