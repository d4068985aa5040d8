-- Looks who is there: every incarnation that has held its presence, or was expelled, and has not ended; whether its lock
-- is held, and by whom and why it was expelled.
-- `pg_locks` shows advisory locks to every role; `backend_start` would be hidden from most.
-- Parameters: presence (the class of the locks). Index: incarnation_alive. Zero rows: nobody is registered.
WITH held AS MATERIALIZED (
    SELECT l.objid FROM pg_catalog.pg_locks l
     WHERE l.locktype = 'advisory' AND l.classid = %(presence)s::integer::oid AND l.objsubid = 2
       AND l.mode = 'ExclusiveLock' AND l.granted
       AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
)
SELECT i.id, i.slot, i.host, i.registered, i.absent_since, clock_timestamp() AS moment, pg_postmaster_start_time() AS server_start,
       i.id::oid IN (SELECT held.objid FROM held) AS present,
       'expelled by ' || i.expelled_by || ': ' || i.expelled_why AS expelled
  FROM ledger.incarnation i
 WHERE i.ended IS NULL AND (i.held OR i.expelled IS NOT NULL)
 ORDER BY i.id
