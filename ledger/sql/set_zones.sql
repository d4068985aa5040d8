-- Puts another release of the zone rules in force, and keeps from which one rows are still to be moved.
-- Promises: I20. Parameters: tzdata. Zero rows: the database was never migrated.
UPDATE ledger.settings SET tzdata = %(tzdata)s, zones_from = coalesce(zones_from, tzdata) RETURNING zones_from
