-- I8: one disposition per (tenant, task, lane, slot), across edits and key versions; one running row per task
-- unless its policy allows more.
SELECT tenant, task, lane || ' ' || due AS what, array_agg(key) AS keys
  FROM ledger.occurrence WHERE started IS NOT NULL OR closed IS NOT NULL
 GROUP BY tenant, task, lane, due HAVING count(*) > 1
UNION ALL
SELECT tenant, task, 'running at once', array_agg(key)
  FROM ledger.occurrence WHERE state = 'running' AND exclusive
 GROUP BY tenant, task HAVING count(*) > 1
