-- Makes the archive's partitions for days that lack one.
-- Parameters: days: array of dates, written 2026-12-31. Zero rows: each has its own.
SELECT d.day FROM ledger.make_days(%(days)b::text[]::date[]) AS d (day)
