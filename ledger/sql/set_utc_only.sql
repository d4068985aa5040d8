-- Sets whether zones are kept out of all tasks.
-- Promises: I20. Parameters: utc_only. Zero rows: the database was never migrated.
UPDATE ledger.settings SET utc_only = %(utc_only)s RETURNING utc_only
