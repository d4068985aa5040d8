-- Reads how long rows stay hot, how long history is kept, and from when on it is there.
-- Promises: I16. No parameters. Zero rows: the database was never migrated.
SELECT clock_timestamp() AS moment, s.hot, s.history, s.kept_from FROM ledger.settings s
