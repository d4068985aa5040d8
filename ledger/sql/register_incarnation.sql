-- Opens a life of a process that starts runs. It holds no presence yet, so nobody may find it absent.
-- Parameters: slot, host. Index: incarnation_pkey. One row: its number.
INSERT INTO ledger.incarnation (slot, host, registered, server_start)
VALUES (%(slot)s, %(host)s, clock_timestamp(), pg_postmaster_start_time())
RETURNING id
