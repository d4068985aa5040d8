-- Reads the release in force, the database's time, from which release zone rules are being moved (null: from none), and
-- whether zones are kept out.
-- Promises: I20. No parameters. Zero rows: the database was never migrated.
SELECT s.schema_version, s.key_version, s.digest_version, s.dialect, s.tzdata, clock_timestamp() AS moment,
       s.zones_from, s.utc_only
  FROM ledger.settings s
