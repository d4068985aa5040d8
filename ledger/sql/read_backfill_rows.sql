-- Reads the rows of a backfill that are open or run, retries of its runs with them. The task is held.
-- Promises: I6. Parameters: tenant, task, request. Index: one_open and one_running, by task. Zero rows: nothing of it is open.
SELECT o.key, o.task, o.wake, o.state FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.state = 'pending'
   AND (o.wake = 'backfill:' || %(request)s::text
        OR right(o.wake, length(%(request)s::text) + 10) = ':backfill:' || %(request)s::text)
 UNION ALL
SELECT r.key, r.task, r.wake, r.state FROM ledger.occurrence r
 WHERE r.tenant = %(tenant)s AND r.task = %(task)s AND r.state = 'running'
   AND (r.wake = 'backfill:' || %(request)s::text
        OR right(r.wake, length(%(request)s::text) + 10) = ':backfill:' || %(request)s::text)
