-- Counts starts towards the quotas of tenants, in the transaction that starts them; their limits are held.
-- Promises: I18. Parameters: tenants, starts: arrays of one length; month. Index: usage_pkey. It answers no rows.
INSERT INTO ledger.usage AS u (tenant, month, starts)
SELECT k.tenant, %(month)s::date, k.starts FROM unnest(%(tenants)b::text[], %(starts)b::integer[]) AS k (tenant, starts)
ON CONFLICT (tenant, month) DO UPDATE SET starts = u.starts + excluded.starts
