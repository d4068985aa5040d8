-- Closes running rows. `started` without `closed` means running: a predicate on the state would be planned as a walk
-- over the index of running rows for each row of the batch.
-- Promises: I6, I7. Parameters: keys, tenants, states, outcomes, reasons, closers, results, errors, crumbs, failures:
-- arrays of one length. Index: occurrence_pkey.
-- Answers no rows: those asked for are locked, and run.
UPDATE ledger.occurrence o
   SET state = k.state, closed = now(), outcome = k.outcome, closed_by = k.closer,
       reason = CASE k.state WHEN 'succeeded' THEN ledger.recovery(o.failures, o.wake, o.history) ELSE k.reason END,
       result = k.result, error = k.error, crumb = coalesce(k.crumb, o.crumb), failures = k.failures
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(states)b::text[], %(outcomes)b::text[], %(reasons)b::text[],
              %(closers)b::text[], %(results)b::text[], %(errors)b::text[], %(crumbs)b::text[], %(failures)b::integer[])
       AS k (key, tenant, state, outcome, reason, closer, result, error, crumb, failures)
 WHERE o.key = k.key AND o.tenant = k.tenant AND o.started IS NOT NULL AND o.closed IS NULL
