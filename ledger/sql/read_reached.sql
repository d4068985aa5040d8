-- Reads whom passes over all tenants have judged since the newest of them that closed: where one died, the next begins with
-- those whom it did not reach. Where none died nothing is read.
-- Promises: I14. No parameters. Index: pass_pkey, backwards; verdicts are read whole, after a pass that died.
-- Zero rows: the newest pass has closed, or there was none.
SELECT v.tenant, v.at
  FROM ledger.verdict v
 WHERE EXISTS (SELECT FROM (SELECT p.closed FROM ledger.pass p WHERE p.report ->> 'tenant' IS NULL ORDER BY p.id DESC LIMIT 1) n
                WHERE n.closed IS NULL)
   AND v.pass > coalesce((SELECT p.id FROM ledger.pass p WHERE p.closed IS NOT NULL AND p.report ->> 'tenant' IS NULL
                           ORDER BY p.id DESC LIMIT 1), 0)
