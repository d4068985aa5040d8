-- Takes the rows of tasks that nobody holds, in order, and says of each whether it was to be had: one of a task that is no
-- more is nobody's. Asked where a lock did not come in time, so that one task that is held keeps no other unrepaired.
-- Promises: I4, I12. Parameters: tenant; tasks: array. Index: task_pkey. One row for each task asked.
WITH had AS MATERIALIZED (
    SELECT t.task
      FROM unnest(%(tasks)b::text[]) AS k (task)
      JOIN ledger.task t ON t.tenant = %(tenant)s AND t.task = k.task
     ORDER BY t.task
       FOR NO KEY UPDATE OF t SKIP LOCKED
)
SELECT k.task, h.task IS NOT NULL OR NOT EXISTS (
       SELECT FROM ledger.task t WHERE t.tenant = %(tenant)s AND t.task = k.task) AS free
  FROM unnest(%(tasks)b::text[]) AS k (task)
  LEFT JOIN had h ON h.task = k.task
