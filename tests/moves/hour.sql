-- A book of 40 tenants with 125 tasks each and 30,000 closed rows, as a day has left it; no row is due and none runs.
INSERT INTO ledger.definition (tenant, digest, version, canonical, at, by)
SELECT 'tenant-' || t, sha256((t || '/' || k)::bytea), 1, '{}', now(), 'nobody'
  FROM generate_series(1, 40) t, generate_series(1, 125) k;
INSERT INTO ledger.task (tenant, task, digest, agent, enabled, duplicate_hash)
SELECT 'tenant-' || t, 'task-' || k, sha256((t || '/' || k)::bytea), 'agent-' || k % 5, true, sha256((t || '/' || k)::bytea)
  FROM generate_series(1, 40) t, generate_series(1, 125) k;
INSERT INTO ledger.act (tenant, task, n, at, by, what, digest, enabled, resume_after)
SELECT tenant, task, n, now(), 'nobody', 'edit', digest, true, now() FROM ledger.task, generate_series(1, 3) n;
INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination, due, fingerprint, key_version, lane,
       state, exclusive, run_at, after, base, source, made_by, created, started, deadline, closed, outcome)
SELECT gen_random_uuid(), tenant, task, digest, 'python', 'schedule', 'default', 'local:default', now() - n * interval '1 hour',
       digest, 1, 'series', 'succeeded', true, now() - n * interval '1 hour', now() - n * interval '1 hour', now(),
       'baseline-interval', 'start', now(), now() - n * interval '1 hour', now(), now() - n * interval '59 min', 'succeeded'
  FROM ledger.task, generate_series(1, 6) n;
INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination, due, fingerprint, key_version, lane,
       state, exclusive, run_at, after, base, source, made_by, created)
SELECT gen_random_uuid(), tenant, task, digest, 'python', 'schedule', 'default', 'local:default', now() + interval '1 hour',
       digest, 1, 'series', 'pending', true, now() + interval '1 hour', now(), now(), 'baseline-interval', 'start', now()
  FROM ledger.task;
-- A planner has said something of one task in twenty.
INSERT INTO ledger.hint (tenant, task, kind, every, given, expires, by)
SELECT tenant, task, 'interval', interval '10 min', now(), now() + interval '1 day', 'a planner'
  FROM ledger.task WHERE task LIKE 'task-%7' AND length(task) < 8;
