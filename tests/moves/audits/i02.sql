-- I2: a key stands once for its tenant, the archive included.
SELECT tenant, key, count(*) AS times
  FROM (SELECT tenant, key FROM ledger.occurrence UNION ALL SELECT tenant, key FROM ledger.archive) every
 GROUP BY tenant, key HAVING count(*) > 1
