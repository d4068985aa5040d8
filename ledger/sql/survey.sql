-- Counts, for each tenant, what it should have and what it has, both ways: tasks without an open row, and open rows
-- without their task. Tenants without tasks, open rows or runs cost nothing and do not appear, unless their newest
-- verdict is `failed` or lacks its drill: then they are looked at once more. Who was looked at longest ago comes first.
-- Promises: I4, I13. No parameters. Index: one_open and task (each read once, hashed together), one_running.
-- Zero rows: nobody has anything to sweep.
WITH series AS (
    SELECT coalesce(t.tenant, o.tenant) AS tenant, count(*) FILTER (WHERE t.enabled) AS expected,
           count(*) FILTER (WHERE t.enabled AND o.digest = t.digest) AS open,
           count(*) FILTER (WHERE t.enabled AND o.task IS NULL) AS without,
           count(*) FILTER (WHERE o.task IS NOT NULL
                              AND (t.task IS NULL OR NOT t.enabled OR o.digest <> t.digest)) AS stray
      FROM ledger.task t
      FULL JOIN (SELECT s.tenant, s.task, s.digest FROM ledger.occurrence s
                  WHERE s.state = 'pending' AND s.lane = 'series') o
        ON o.tenant = t.tenant AND o.task = t.task
     GROUP BY 1
), lanes AS (
    SELECT l.tenant, count(*) AS others FROM ledger.occurrence l
     WHERE l.state = 'pending' AND l.lane <> 'series' GROUP BY l.tenant
), runs AS (
    SELECT r.tenant, count(*) AS running FROM ledger.occurrence r WHERE r.state = 'running' GROUP BY r.tenant
)
SELECT tenant, coalesce(s.expected, 0) AS expected, coalesce(s.open, 0) AS open, coalesce(s.without, 0) AS without,
       coalesce(s.stray, 0) AS stray, coalesce(l.others, 0) AS others, coalesce(r.running, 0) AS running
  FROM series s FULL JOIN lanes l USING (tenant) FULL JOIN runs r USING (tenant) FULL JOIN ledger.verdict v USING (tenant)
 WHERE s.expected > 0 OR s.stray > 0 OR l.others > 0 OR r.running > 0 OR v.word = 'failed' OR v.drill <> 'passed'
 ORDER BY v.at NULLS FIRST, tenant
