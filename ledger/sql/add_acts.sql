-- Appends acts; their number was read under the lock of the task.
-- Promises: I10. Parameters: tenant, at, by, note; tasks, ns, whats, digests, enabled, resume_afters: arrays of one length.
-- Index: act_pkey. Answers no rows.
INSERT INTO ledger.act (tenant, task, n, at, by, what, digest, enabled, resume_after, note)
SELECT %(tenant)s, k.task, k.n, %(at)s, %(by)s, k.what, k.digest, k.enabled, k.resume_after, %(note)s
  FROM unnest(%(tasks)b::text[], %(ns)b::integer[], %(whats)b::text[], %(digests)b::bytea[], %(enabled)b::boolean[],
              %(resume_afters)b::timestamptz[]) AS k (task, n, what, digest, enabled, resume_after)
