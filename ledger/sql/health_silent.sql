-- Counts tenants that have enabled tasks, and those of them that no verdict (before the first, no act) proves lately.
-- Promises: I14. Parameters: tenant (null: all), age: interval. Index: task (read once), verdict_pkey, act_pkey.
-- One row; `silent` 0: each has fresh evidence.
SELECT count(*) AS tenants, count(*) FILTER (WHERE s.stale) AS silent, min(s.seen) AS oldest,
       (array_agg(s.tenant ORDER BY s.seen, s.tenant) FILTER (WHERE s.stale))[1:10] AS named
  FROM (SELECT e.tenant, e.seen, coalesce(e.seen < clock_timestamp() - %(age)s::interval, true) AS stale
          FROM (SELECT k.tenant, coalesce(v.at, (SELECT min(a.at) FROM ledger.act a WHERE a.tenant = k.tenant)) AS seen
                  FROM (SELECT DISTINCT t.tenant FROM ledger.task t
                         WHERE t.enabled AND (%(tenant)s::text IS NULL OR t.tenant = %(tenant)s)) k
                  LEFT JOIN ledger.verdict v ON v.tenant = k.tenant) e) s
