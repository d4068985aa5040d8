-- Lists tasks with their definitions and what their series do next, by name, a page at a time.
-- What is read of a task is read for it alone, and what a list is narrowed to stands in CASE: else the planner takes it to
-- leave next to nothing, and reads and sorts the whole.
-- Parameters: tenant; beyond: the last name of the page before, '' for the first; states: array, labels (a JSON object),
-- since, until (of the next slot): each null where it is not asked for; n.
-- Index: task_pkey, definition_pkey, one_open, ended, one_running. Zero rows: no task that is asked for comes after that name.
SELECT t.task, t.enabled, t.digest, d.canonical, o.key AS next_key, o.due AS next,
       e.key IS NOT NULL AS ended, r.key AS running
  FROM ledger.task t
 CROSS JOIN LATERAL (
        SELECT d.canonical FROM ledger.definition d WHERE d.tenant = t.tenant AND d.digest = t.digest LIMIT 1) d
  LEFT JOIN LATERAL (
        SELECT o.key, o.due FROM ledger.occurrence o
         WHERE o.tenant = t.tenant AND o.task = t.task AND o.lane = 'series' AND o.state = 'pending' LIMIT 1) o ON true
  LEFT JOIN LATERAL (
        SELECT e.key FROM ledger.occurrence e
         WHERE t.enabled AND e.tenant = t.tenant AND e.task = t.task AND e.digest = t.digest AND e.state = 'ended'
         LIMIT 1) e ON true
  LEFT JOIN LATERAL (
        SELECT r.key FROM ledger.occurrence r
         WHERE r.tenant = t.tenant AND r.task = t.task AND r.state = 'running' LIMIT 1) r ON true
 WHERE t.tenant = %(tenant)s AND t.task > %(beyond)s
   AND CASE WHEN %(labels)s::jsonb IS NULL THEN true ELSE d.canonical::jsonb -> 'labels' @> %(labels)s END
   AND CASE WHEN %(states)b::text[] IS NULL AND %(since)s::timestamptz IS NULL AND %(until)s::timestamptz IS NULL
            THEN true
            ELSE (%(states)b::text[] IS NULL
                  OR CASE WHEN t.enabled THEN 'enabled' ELSE 'disabled' END = ANY (%(states)b::text[])
                  OR (r.key IS NOT NULL AND 'running' = ANY (%(states)b::text[]))
                  OR (e.key IS NOT NULL AND o.key IS NULL AND 'ended' = ANY (%(states)b::text[])))
                 AND (%(since)s::timestamptz IS NULL OR o.due >= %(since)s)
                 AND (%(until)s::timestamptz IS NULL OR o.due < %(until)s) END
 ORDER BY t.task
 LIMIT %(n)s
