-- Lists the runs of a range of tasks whose deadline has passed, whoever runs them.
-- Promises: I6. Parameters: tenant, first, last. Index: one_running. Zero rows: nothing is overdue.
SELECT o.tenant, o.task, o.key FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.task >= %(first)s AND o.task <= %(last)s AND o.state = 'running' AND o.deadline <= now()
 ORDER BY o.key
