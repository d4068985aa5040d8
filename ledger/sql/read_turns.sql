-- Reads how backfills go on whose rows a claim is about to start: the slot after the one opened last, and how many of each
-- run now, retries of its runs with them. The tasks are held.
-- Promises: I3, I18. Parameters: ns, tenants, tasks, requests: arrays of one length; n is the caller's own number.
-- Index: backfill_pkey; one_running, by LATERAL: a join would walk the whole of it. Zero rows: no such backfill.
SELECT k.n, b.at_once, CASE WHEN b.cancelled IS NULL THEN b.slots[b.opened + 1] END AS next, r.running, r.run
  FROM unnest(%(ns)b::integer[], %(tenants)b::text[], %(tasks)b::text[], %(requests)b::text[])
       AS k (n, tenant, task, request)
 CROSS JOIN LATERAL (
        SELECT b.at_once, b.cancelled, b.slots, b.opened FROM ledger.backfill b
         WHERE b.tenant = k.tenant AND b.task = k.task AND b.request = k.request LIMIT 1) b
 CROSS JOIN LATERAL (
        SELECT count(*)::integer AS running, (array_agg(r.key))[1] AS run FROM ledger.occurrence r
         WHERE r.tenant = k.tenant AND r.task = k.task AND r.state = 'running'
           AND (r.wake = 'backfill:' || k.request
                OR right(r.wake, length(k.request) + 10) = ':backfill:' || k.request)) r
