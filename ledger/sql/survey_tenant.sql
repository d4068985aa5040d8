-- The survey of one tenant, outside its own transaction and its setting, so that what hides its rows from it shows.
-- Promises: I4, I13. Parameters: tenant. Index: task_pkey, one_open, one_running. One row.
SELECT %(tenant)s::text AS tenant, count(*) FILTER (WHERE t.enabled) AS expected,
       count(*) FILTER (WHERE t.enabled AND o.digest = t.digest) AS open,
       count(*) FILTER (WHERE t.enabled AND o.task IS NULL) AS without,
       count(*) FILTER (WHERE o.task IS NOT NULL
                          AND (t.task IS NULL OR NOT t.enabled OR o.digest <> t.digest)) AS stray,
       (SELECT count(*) FROM ledger.occurrence l
         WHERE l.tenant = %(tenant)s AND l.state = 'pending' AND l.lane <> 'series') AS others,
       (SELECT count(*) FROM ledger.occurrence r WHERE r.tenant = %(tenant)s AND r.state = 'running') AS running
  FROM (SELECT k.task, k.enabled, k.digest FROM ledger.task k WHERE k.tenant = %(tenant)s) t
  FULL JOIN (SELECT s.task, s.digest FROM ledger.occurrence s
              WHERE s.tenant = %(tenant)s AND s.state = 'pending' AND s.lane = 'series') o ON o.task = t.task
