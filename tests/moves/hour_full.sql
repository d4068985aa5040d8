-- The same book in its fullest hour: 2,500 rows are due, 1,500 tasks run, and 300 requests wait for a run.
UPDATE ledger.occurrence SET run_at = now() - interval '1 min', due = now() - interval '1 min'
 WHERE state = 'pending' AND tenant < 'tenant-28';
INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination, due, fingerprint, key_version, lane,
       state, exclusive, run_at, after, base, source, made_by, created, started, deadline)
SELECT gen_random_uuid(), tenant, task, digest, 'python', 'schedule', 'default', 'local:default', now() - interval '5 min',
       digest, 1, 'series', 'running', true, now() - interval '5 min', now(), now(), 'baseline-interval', 'start', now(), now(),
       now() + interval '10 min'
  FROM ledger.task WHERE task < 'task-12' OR task > 'task-85';
INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination, due, fingerprint, key_version, lane,
       state, exclusive, run_at, made_by, created, blocked_by, reason)
SELECT gen_random_uuid(), tenant, task, digest, 'python', 'manual:1', 'default', 'local:default', now(), digest, 1, 'manual:1',
       'pending', true, now(), 'run now', now(), key, 'waiting'
  FROM ledger.occurrence WHERE state = 'running' AND tenant < 'tenant-28' AND task < 'task-11';
