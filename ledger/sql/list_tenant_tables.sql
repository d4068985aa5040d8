-- Lists the tables in which a tenant may have rows: tasks first, the archive last.
-- No parameters. Zero rows: the database was never migrated.
SELECT k.name AS name FROM ledger.tenant_tables() AS k (name)
