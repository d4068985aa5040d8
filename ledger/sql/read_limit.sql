-- Reads the limits of one tenant, and how much of them it uses: runs that go on, and starts of this month of UTC.
-- Promises: I18. Parameters: tenant. Index: tenant_limit_pkey, one_running (its part of the tenant), usage_pkey. One row.
SELECT l.suspended, l.cap, l.quota, l.note, l.at, l.by, r.running, coalesce(u.starts, 0) AS starts
  FROM (SELECT %(tenant)s::text AS tenant) k
  LEFT JOIN ledger.tenant_limit l ON l.tenant = k.tenant
 CROSS JOIN LATERAL (
        SELECT count(*)::integer AS running FROM ledger.occurrence o
         WHERE o.tenant = k.tenant AND o.state = 'running') r
  LEFT JOIN ledger.usage u ON u.tenant = k.tenant AND u.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
