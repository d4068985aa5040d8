-- Reads every n-th key of all rows, the archive too, in order: where one part of them ends and the next one begins.
-- Promises: I1. Parameters: n. Index: occurrence_pkey and archive_pkey, whole, without their rows.
-- Zero rows: there are fewer than n.
SELECT s.key
  FROM (SELECT k.key, row_number() OVER (ORDER BY k.key) AS i
          FROM (SELECT o.key FROM ledger.occurrence o UNION ALL SELECT a.key FROM ledger.archive a) k) s
 WHERE s.i %% %(n)s::integer = 0
 ORDER BY s.key
