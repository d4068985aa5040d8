-- Reads what the decisions need, after the locks: a running row of the task, and how the row before ended.
-- Promises: I8, I18. Parameters: tenants, tasks, predecessors: arrays of one length.
-- Index: one_running (by LATERAL and LIMIT 1: a join would walk the whole of it for each row), occurrence_pkey.
-- One row for each asked, in order.
SELECT k.n::integer AS n, r.key AS blocker, p.state AS before_state, p.failures AS before_failures, p.due AS before_due
  FROM unnest(%(tenants)b::text[], %(tasks)b::text[], %(predecessors)b::uuid[])
       WITH ORDINALITY AS k (tenant, task, predecessor, n)
  LEFT JOIN LATERAL (
        SELECT r.key FROM ledger.occurrence r
         WHERE r.tenant = k.tenant AND r.task = k.task AND r.state = 'running' LIMIT 1) r ON true
  LEFT JOIN LATERAL (
        SELECT p.state, p.failures, p.due FROM ledger.occurrence p
         WHERE p.key = k.predecessor AND p.tenant = k.tenant LIMIT 1) p ON true
 ORDER BY k.n
