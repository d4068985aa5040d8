-- Reads the newest pass over all tenants that has closed, and the database's time.
-- Promises: I13, I14. No parameters. Index: pass_pkey, backwards. One row; without a pass its columns are null.
SELECT clock_timestamp() AS moment, p.id, p.closed, p.by, p.period_s, p.expected, p.healthy, p.repaired, p.failed, p.report
  FROM (SELECT) always
  LEFT JOIN LATERAL (
        SELECT * FROM ledger.pass c WHERE c.closed IS NOT NULL AND NOT c.report ? 'tenant' ORDER BY c.id DESC LIMIT 1) p ON true
