-- Reads the oldest snapshot that keeps dead rows of this database from being cleared away, prepared transactions too.
-- Promises: I14. No parameters. Index: none of ours. One row; `hidden` counts sessions of which this role sees nothing.
SELECT s.oldest, s.pid, s.application, s.hidden, p.prepared
  FROM (SELECT min(a.xact_start) AS oldest, (array_agg(a.pid ORDER BY a.xact_start))[1] AS pid,
               (array_agg(a.application_name::text ORDER BY a.xact_start))[1] AS application,
               (SELECT count(*) FROM pg_catalog.pg_stat_activity h
                 WHERE h.datname = current_database() AND h.query = '<insufficient privilege>') AS hidden
          FROM pg_catalog.pg_stat_activity a
         WHERE a.datname = current_database() AND a.backend_xmin IS NOT NULL AND a.pid <> pg_backend_pid()) s
 CROSS JOIN (SELECT min(x.prepared) AS prepared FROM pg_catalog.pg_prepared_xacts x
              WHERE x.database = current_database()) p
