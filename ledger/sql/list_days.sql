-- Lists the days of the archive that have a partition, latest first. No parameters. Zero rows: nothing was archived yet.
SELECT to_date(substr(c.relname::text, 9), 'YYYYMMDD') AS day, greatest(c.reltuples, 0)::bigint AS rows
  FROM pg_catalog.pg_inherits i
  JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = 'ledger.archive'::regclass AND c.relname ~ '^archive_[0-9]{8}$'
 ORDER BY 1 DESC
