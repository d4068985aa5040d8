-- Closes running rows whose runs have succeeded; `started` without `closed` means running, as in close_runs.sql.
-- The rows are locked by the update itself, in the order in which they are asked for.
-- Promises: I6, I7. Parameters: keys, tenants, closers, results, crumbs: arrays of one length.
-- Index: occurrence_pkey.
-- Answers the place of each row that counted (from 1; read sooner than a key; below zero where it is the first success
-- after failures); the others ran no more.
UPDATE ledger.occurrence o
   SET state = 'succeeded', closed = now(), outcome = 'succeeded', closed_by = k.closer, result = k.result,
       reason = ledger.recovery(o.failures, o.wake, o.history),
       crumb = coalesce(k.crumb, o.crumb), failures = 0
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(closers)b::text[], %(results)b::text[], %(crumbs)b::text[])
       WITH ORDINALITY AS k (key, tenant, closer, result, crumb, n)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.started IS NOT NULL AND o.closed IS NULL
RETURNING CASE WHEN o.reason IS NULL THEN k.n ELSE -k.n END AS n
