-- Reads what the texts of open series rows ask a pass to judge. In a row without a task: each zone that they name, once.
-- A row for each text with an end (`ends_at`, an `at`, a rule that counts or says until when), since its open row must be
-- no later than the last slot. What looks like either in a payload is among them; the text tells. Texts are split, which
-- takes a tenth of the time that a pattern takes to find the same.
-- Promises: I4, I12. Parameters: tenant, first, last (tasks, both in it). Index: one_open; definition_pkey, a row each.
-- Zero rows: no text names a zone or an end.
WITH texts AS MATERIALIZED (
    SELECT o.task, o.key, d.canonical, o.due, o.after, o.base, o.trail
      FROM ledger.occurrence o
     CROSS JOIN LATERAL (
            SELECT d.canonical FROM ledger.definition d
             WHERE d.tenant = %(tenant)s AND d.digest = o.digest
               AND (d.canonical LIKE '%%"timezone":"%%' OR d.canonical LIKE '%%"ends_at":"%%' OR d.canonical LIKE '%%"at":"%%'
                    OR d.canonical LIKE '%%UNTIL=%%' OR d.canonical LIKE '%%COUNT=%%') LIMIT 1) d
     WHERE o.tenant = %(tenant)s AND o.task >= %(first)s AND o.task <= %(last)s AND o.state = 'pending' AND o.lane = 'series'
)
SELECT NULL::text AS task, NULL::uuid AS key, n.zone AS text, NULL::timestamptz AS due, NULL::timestamptz AS after,
       NULL::timestamptz AS base, NULL::jsonb AS trail
  FROM (SELECT DISTINCT split_part(p.rest, '"', 1) AS zone
          FROM texts z
         CROSS JOIN LATERAL unnest((string_to_array(z.canonical, '"timezone":"'))[2:]) AS p (rest)) n
 WHERE n.zone ~ '^[A-Za-z0-9_+/-]{1,64}$'
UNION ALL
SELECT e.task, e.key, e.canonical, e.due, e.after, e.base, e.trail
  FROM texts e
 WHERE e.canonical LIKE '%%"ends_at":"%%' OR e.canonical LIKE '%%"at":"%%' OR e.canonical LIKE '%%UNTIL=%%'
    OR e.canonical LIKE '%%COUNT=%%'
