-- Keeps that a tenant was deleted: all that is left of it.
-- Parameters: tenant, by, rows. Index: tombstone_pkey. Answers no rows.
INSERT INTO ledger.tombstone AS t (tenant, at, by, rows) VALUES (%(tenant)s, clock_timestamp(), %(by)s, %(rows)s::bigint)
    ON CONFLICT (tenant) DO UPDATE SET at = excluded.at, by = excluded.by, rows = t.rows + excluded.rows
