-- Writes the limits of one tenant whole, and who set them.
-- Promises: I18. Parameters: tenant, suspended, cap, quota, note, by. Index: tenant_limit_pkey. One row: they as they stand.
INSERT INTO ledger.tenant_limit AS l (tenant, suspended, cap, quota, note, at, by)
VALUES (%(tenant)s, %(suspended)s, %(cap)s, %(quota)s, %(note)s, clock_timestamp(), %(by)s)
ON CONFLICT (tenant) DO UPDATE
   SET suspended = excluded.suspended, cap = excluded.cap, quota = excluded.quota, note = excluded.note, at = excluded.at,
       by = excluded.by
RETURNING l.suspended, l.cap, l.quota, l.note, l.at, l.by
