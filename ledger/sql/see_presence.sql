-- Reads which server process holds the lock of an incarnation.
-- Parameters: presence (the class of the locks), id. Zero rows: nobody holds it.
SELECT l.pid, pg_backend_pid() AS own
  FROM pg_catalog.pg_locks l
 WHERE l.locktype = 'advisory' AND l.classid = %(presence)s::integer::oid AND l.objid = %(id)s::integer::oid
   AND l.objsubid = 2 AND l.granted
   AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
