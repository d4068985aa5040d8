-- Lists passes since the newest closed one that have not closed, and whether the session of each is still there: without
-- it, or after its own period, the pass has died. The view of sessions shows their numbers to every role.
-- Promises: I13, I14. No parameters. Index: pass_pkey, backwards. Zero rows: none.
SELECT p.id, p.began, p.by, p.report ->> 'tenant' AS tenant,
       p.began > clock_timestamp() - make_interval(secs => p.period_s)
       AND EXISTS (SELECT FROM pg_catalog.pg_stat_activity a
                    WHERE a.pid = (p.report ->> 'session')::integer AND a.datname = current_database()) AS going_on
  FROM ledger.pass p
 WHERE p.closed IS NULL
   AND p.id > coalesce((SELECT c.id FROM ledger.pass c WHERE c.closed IS NOT NULL AND NOT c.report ? 'tenant'
                         ORDER BY c.id DESC LIMIT 1), 0)
 ORDER BY p.id DESC
 LIMIT 20
