-- Counts, for each tenant, what it should have and what it has, both ways: tasks without an open row, and open rows
-- without their task. Tenants without tasks, open rows or runs cost nothing and do not appear, unless their newest
-- verdict is `failed` or lacks its drill: then they are looked at once more.
-- Promises: I4, I13. No parameters. Index: one_open and task (each read once, hashed together), one_running, verdict_bad.
-- Zero rows: nobody has anything to sweep.
WITH standing AS (
    SELECT coalesce(t.tenant, o.tenant) AS tenant, count(*) FILTER (WHERE t.enabled) AS expected,
           count(*) FILTER (WHERE t.enabled AND o.digest = t.digest) AS open,
           count(*) FILTER (WHERE t.enabled AND o.task IS NULL) AS without,
           count(*) FILTER (WHERE o.lane = 'series' AND (t.task IS NULL OR NOT t.enabled OR o.digest <> t.digest)) AS stray,
           count(*) FILTER (WHERE o.lane <> 'series') AS others
      FROM (SELECT k.tenant, k.task, k.digest, k.enabled, 'series' AS lane FROM ledger.task k) t
      FULL JOIN (SELECT s.tenant, s.task, s.digest, s.lane FROM ledger.occurrence s WHERE s.state = 'pending') o
        ON o.tenant = t.tenant AND o.task = t.task AND o.lane = t.lane
     GROUP BY 1
), runs AS (
    SELECT r.tenant, count(*) AS running FROM ledger.occurrence r WHERE r.state = 'running' GROUP BY r.tenant
), bad AS (
    SELECT b.tenant, true AS again FROM ledger.verdict b WHERE b.word = 'failed' OR b.drill <> 'passed'
)
SELECT tenant, coalesce(s.expected, 0) AS expected, coalesce(s.open, 0) AS open, coalesce(s.without, 0) AS without,
       coalesce(s.stray, 0) AS stray, coalesce(s.others, 0) AS others, coalesce(r.running, 0) AS running
  FROM standing s FULL JOIN runs r USING (tenant) FULL JOIN bad b USING (tenant)
 WHERE s.expected > 0 OR s.stray > 0 OR s.others > 0 OR r.running > 0 OR b.again
 ORDER BY tenant
