-- Reads the release in force and the database's time.
-- Promises: I20. No parameters. Zero rows: the database was never migrated.
SELECT s.schema_version, s.key_version, s.digest_version, s.dialect, s.tzdata, clock_timestamp() AS moment FROM ledger.settings s
