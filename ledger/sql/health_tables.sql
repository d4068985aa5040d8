-- Reads what the server's own statistics say of the tables that grow: rows, dead ones, and when they were looked after.
-- Promises: I14. No parameters. Index: none of ours. Zero rows: the schema is not there.
SELECT s.relname::text COLLATE "C" AS name, s.n_live_tup AS live, s.n_dead_tup AS dead, s.n_mod_since_analyze AS changed,
       greatest(s.last_vacuum, s.last_autovacuum) AS vacuumed, greatest(s.last_analyze, s.last_autoanalyze) AS analyzed
  FROM pg_catalog.pg_stat_all_tables s
 WHERE s.schemaname = 'ledger'
   AND s.relname IN ('task', 'act', 'definition', 'hint', 'occurrence', 'evidence', 'verdict', 'dispatcher', 'incarnation')
 ORDER BY s.n_dead_tup DESC, s.relname
