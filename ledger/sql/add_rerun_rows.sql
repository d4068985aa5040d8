-- Keeps which rows a rerun has, as they are opened.
-- Parameters: tenant, request, tasks, lanes, dues, repeats: arrays of one length. Index: rerun_row_pkey (the named target: a
-- row that was retired before it ran, and is asked for once more, is the later rerun's). Answers no rows.
INSERT INTO ledger.rerun_row (tenant, task, lane, due, request, repeats)
SELECT %(tenant)s, k.task, k.lane, k.due, %(request)s, k.repeats
  FROM unnest(%(tasks)b::text[], %(lanes)b::text[], %(dues)b::timestamptz[], %(repeats)b::uuid[])
       AS k (task, lane, due, repeats)
    ON CONFLICT (tenant, task, lane) DO UPDATE SET request = excluded.request, repeats = excluded.repeats
