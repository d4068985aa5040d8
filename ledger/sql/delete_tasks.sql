-- Deletes the rows of tasks that are held; acts, definitions and occurrences stay as history.
-- Promises: I5. Parameters: tenant; tasks: array. Index: task_pkey. Zero rows: nothing of that name.
DELETE FROM ledger.task t
 USING unnest(%(tasks)b::text[]) AS k (task)
 WHERE t.tenant = %(tenant)s AND t.task = k.task
RETURNING t.task
