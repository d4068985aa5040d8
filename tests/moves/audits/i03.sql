-- I3: at most one open row per (tenant, task, lane).
SELECT tenant, task, lane, array_agg(key ORDER BY due) AS open
  FROM ledger.occurrence WHERE state = 'pending'
 GROUP BY tenant, task, lane HAVING count(*) > 1
