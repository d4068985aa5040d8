-- Reads what a server is and who asks: its version, its state, its clock, the login and what that may become.
-- Promises: I9, I17. No parameters. Index: none of ours. One row.
SELECT current_setting('server_version_num')::integer AS version, pg_is_in_recovery() AS standby,
       clock_timestamp() AS moment, session_user::text AS login, u.rolsuper AS superuser,
       ARRAY(SELECT r.rolname::text FROM pg_catalog.pg_roles r
              WHERE r.rolname IN ('ledger_dispatcher', 'ledger_sweeper', 'ledger_tenant', 'ledger_reader')
                AND pg_has_role(u.oid, r.oid, 'MEMBER') ORDER BY r.rolname) AS may_be,
       pg_has_role('ledger_reader', 'pg_read_all_stats', 'MEMBER') AS sees_sessions,
       (SELECT count(*) FROM pg_catalog.pg_stat_activity a WHERE a.backend_type IS NULL OR a.backend_type = 'client backend')
           AS connections,
       (SELECT array_to_string(c.reloptions, ',') FROM pg_catalog.pg_class c
         WHERE c.oid = to_regclass('ledger.occurrence')) AS hot_table
  FROM pg_catalog.pg_roles u
 WHERE u.rolname = session_user
