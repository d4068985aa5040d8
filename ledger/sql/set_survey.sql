-- Lets the survey's hash join stay in memory, and holds its transaction to reading.
-- Parameters: work_mem. One row.
SELECT set_config('work_mem', %(work_mem)s, true) AS work_mem, set_config('transaction_read_only', 'on', true) AS read_only
