-- Reads how much of their limits tenants use: runs that go on, counted up to the cap, and starts of the month. A statement
-- of its own after the limits are held: in one with the lock it would read the snapshot from before it.
-- Promises: I18. Parameters: tenants, caps: arrays of one length; month. Index: one_running, by LATERAL and LIMIT;
-- usage_pkey. One row for each asked.
SELECT k.tenant, r.running, coalesce(u.starts, 0) AS starts
  FROM unnest(%(tenants)b::text[], %(caps)b::integer[]) AS k (tenant, cap)
 CROSS JOIN LATERAL (
        SELECT count(*)::integer AS running
          FROM (SELECT FROM ledger.occurrence o
                 WHERE o.tenant = k.tenant AND o.state = 'running' LIMIT k.cap) o) r
  LEFT JOIN LATERAL (
        SELECT u.starts FROM ledger.usage u WHERE u.tenant = k.tenant AND u.month = %(month)s::date LIMIT 1) u ON true
