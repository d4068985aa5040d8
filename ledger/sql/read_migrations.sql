-- Reads which migrations were applied.
-- Promises: I20. No parameters. Index: migration (one page). Zero rows: none was.
SELECT m.name FROM ledger.migration m ORDER BY m.name
