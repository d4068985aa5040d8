-- Holds the limits of one tenant for a person's change, as they stand.
-- Promises: I18. Parameters: tenant. Index: tenant_limit_pkey. Zero rows: it has none yet.
SELECT l.suspended, l.cap, l.quota, l.note, l.at, l.by
  FROM ledger.tenant_limit l
 WHERE l.tenant = %(tenant)s
   FOR NO KEY UPDATE
