-- Lists rows that stood under a key which is not that of their facts, and were retired for it by the newest passes.
-- Promises: I1, I14. Parameters: tenant (null: all), n. Index: verdict (read once); evidence_key, by tenant.
-- Zero rows: the newest pass of each tenant found none.
SELECT v.tenant, e.key, e.at, e.detail
  FROM ledger.verdict v
 CROSS JOIN LATERAL (
        SELECT e.key, e.at, e.detail FROM ledger.evidence e
         WHERE e.tenant = v.tenant AND e.what = 'misnamed' AND e.at > v.at - interval '1 hour'
         ORDER BY e.at DESC LIMIT %(n)s) e
 WHERE v.repairs ? 'misnamed' AND (%(tenant)s::text IS NULL OR v.tenant = %(tenant)s)
 ORDER BY e.at DESC
 LIMIT %(n)s
