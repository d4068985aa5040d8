-- Counts the newest verdicts by their words, and series that fail in a row as their tenants' passes saw them.
-- Promises: I13, I14. Parameters: tenant (null: all). Index: verdict (read once). One row.
SELECT count(*) FILTER (WHERE v.word = 'healthy') AS healthy, count(*) FILTER (WHERE v.word = 'repaired') AS repaired,
       count(*) FILTER (WHERE v.word = 'failed') AS failed, count(*) FILTER (WHERE v.drill <> 'passed') AS undrilled,
       coalesce(sum((v.watch ->> 'failing')::bigint), 0)::bigint AS failing, min(v.at) AS oldest
  FROM ledger.verdict v
 WHERE %(tenant)s::text IS NULL OR v.tenant = %(tenant)s
