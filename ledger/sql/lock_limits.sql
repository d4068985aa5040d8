-- Holds the limits of tenants for a claim, whose tasks are held already; limits that someone else holds are passed by.
-- Promises: I18. Parameters: tenants: array. Index: tenant_limit_pkey. Zero rows: none of them has limits. `held` says
-- whether the limits are held now; only then the others count.
WITH mine AS MATERIALIZED (
    SELECT l.tenant, l.suspended, l.cap, l.quota
      FROM ledger.tenant_limit l
     WHERE l.tenant = ANY (%(tenants)b::text[])
     ORDER BY l.tenant
       FOR NO KEY UPDATE SKIP LOCKED
)
SELECT l.tenant, m.tenant IS NOT NULL AS held, coalesce(m.suspended, false) AS suspended, m.cap, m.quota
  FROM ledger.tenant_limit l
  LEFT JOIN mine m ON m.tenant = l.tenant
 WHERE l.tenant = ANY (%(tenants)b::text[])
   AND (l.suspended OR l.cap IS NOT NULL OR l.quota IS NOT NULL)
