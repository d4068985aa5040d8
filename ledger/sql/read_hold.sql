-- Reads whether a tenant is held back as a whole: suspended, or with as many runs as it may have.
-- Promises: I18. Parameters: tenant. Index: tenant_limit_pkey; one_running, by tenant. Zero rows: it has no limits.
SELECT l.suspended, l.cap, r.running
  FROM ledger.tenant_limit l
 CROSS JOIN LATERAL (
        SELECT count(*) AS running
          FROM (SELECT FROM ledger.occurrence o
                 WHERE o.tenant = l.tenant AND o.state = 'running' LIMIT coalesce(l.cap, 0)) r) r
 WHERE l.tenant = %(tenant)s
