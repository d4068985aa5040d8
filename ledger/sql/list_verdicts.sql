-- The newest verdict on each tenant, by name.
-- Promises: I13, I14. No parameters. Index: verdict_pkey. Zero rows: no sweep has judged anybody yet.
SELECT v.tenant, v.pass AS number, v.at, v.word, v.checked, v.open, v.ended, v.repairs, v.drill, v.drill_ms, v.drill_task
  FROM ledger.verdict v
 ORDER BY v.tenant
