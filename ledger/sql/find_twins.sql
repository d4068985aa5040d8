-- Names the enabled tasks that ask for the same work at the same times, to say whose twin was refused.
-- Parameters: tenant; tasks, twins: arrays of one length. Index: task_twin. Zero rows: the twin has gone meanwhile.
SELECT k.task AS wanted, t.task AS existing
  FROM unnest(%(tasks)b::text[], %(twins)b::bytea[]) AS k (task, twin)
  JOIN ledger.task t ON t.tenant = %(tenant)s AND t.duplicate_hash = k.twin AND t.enabled AND t.task <> k.task
