-- Holds the limits of one tenant for a start by key, which waits for whoever else decides by them; its task is held.
-- Promises: I18. Parameters: tenant. Index: tenant_limit_pkey. Zero rows: it has no limits.
SELECT l.tenant, true AS held, l.suspended, l.cap, l.quota
  FROM ledger.tenant_limit l
 WHERE l.tenant = %(tenant)s AND (l.suspended OR l.cap IS NOT NULL OR l.quota IS NOT NULL)
   FOR NO KEY UPDATE
