-- Keeps that incarnations were seen absent for the first time since the server began to live, or are there again.
-- Parameters: gone, back: arrays of ids. Index: incarnation_pkey. Zero rows: another looked first.
UPDATE ledger.incarnation i
   SET absent_since = CASE WHEN i.id = ANY (%(gone)b::integer[]) THEN clock_timestamp() END
 WHERE i.id = ANY (%(gone)b::integer[] || %(back)b::integer[]) AND i.ended IS NULL
   AND (i.id = ANY (%(back)b::integer[]) OR i.absent_since IS NULL OR i.absent_since < pg_postmaster_start_time())
RETURNING i.id
