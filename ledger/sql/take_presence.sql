-- Takes the lock of an incarnation for this session, and says which server process that is.
-- Parameters: presence (the class of the locks), id.
-- One row; `taken` false: another session holds it.
SELECT pg_try_advisory_lock(%(presence)s::integer, %(id)s::integer) AS taken, pg_backend_pid() AS pid
