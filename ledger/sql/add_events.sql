-- Writes closings of runs that are told into the outbox, in the transaction that closes them.
-- Promises: I6, I7. Parameters: keys, tenants, tasks, kinds, wakes, dues, reasons, errors, failures, retries: arrays of
-- one length. Index: event_pkey, which raises for a run that is closed twice.
-- Answers no rows.
INSERT INTO ledger.event (key, tenant, task, kind, at, wake, due, reason, error, failures, retry)
SELECT k.key, k.tenant, k.task, k.kind, now(), k.wake, k.due, k.reason, k.error, k.failures, k.retry
  FROM unnest(%(keys)b::uuid[], %(tenants)b::text[], %(tasks)b::text[], %(kinds)b::text[], %(wakes)b::text[],
              %(dues)b::timestamptz[], %(reasons)b::text[], %(errors)b::text[], %(failures)b::integer[],
              %(retries)b::boolean[]) AS k (key, tenant, task, kind, wake, due, reason, error, failures, retry)
