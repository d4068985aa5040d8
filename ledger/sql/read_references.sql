-- Reads, under the locks of the tasks, from what a successor is derived: the newest act, the row at the frontier
-- (the latest due among the series rows that run or are closed), its start or closing, and the moment. Without a row there
-- the act that switched the series on takes its place; an edit or a move of zone rules does not, or edits would put a
-- bound's first row off. Where the row at the frontier was skipped for failures before it, also how many those were and
-- when the series last started: its successor waits for them.
-- Promises: I10, I16. Parameters: tenant; tasks: array. Index: act_pkey and one_slot, both backwards, one row each.
-- One row for each task asked, whatever is found.
SELECT k.task, clock_timestamp() AS moment, a.n, a.resume_after,
       f.key AS frontier_key, f.due AS frontier, coalesce(f.base, w.at) AS base, f.backed_off, s.started AS last_start,
       coalesce(f.misfired, false) AS misfired, f.shut
  FROM unnest(%(tasks)b::text[]) AS k (task)
  LEFT JOIN LATERAL (
        SELECT a.n, a.resume_after FROM ledger.act a
         WHERE a.tenant = %(tenant)s AND a.task = k.task ORDER BY a.n DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (
        SELECT o.key, o.due, coalesce(o.started, o.closed) AS base,
               CASE WHEN o.state = 'skipped' AND o.reason = 'backoff' THEN o.failures END AS backed_off,
               o.state = 'skipped' AND o.reason = 'misfire' AS misfired,
               CASE WHEN o.state = 'skipped' AND o.reason IN ('suspended', 'quota', 'agent_gone') THEN o.reason END AS shut
          FROM ledger.occurrence o
         WHERE o.tenant = %(tenant)s AND o.task = k.task AND o.lane = 'series'
           AND o.state NOT IN ('pending', 'retired', 'ended') ORDER BY o.due DESC LIMIT 1) f ON true
  LEFT JOIN LATERAL (
        SELECT w.at FROM ledger.act w
         WHERE f.key IS NULL AND w.tenant = %(tenant)s AND w.task = k.task AND w.what NOT IN ('edit', 'zones') ORDER BY w.n DESC
         LIMIT 1) w ON true
  LEFT JOIN LATERAL (
        SELECT o.started FROM ledger.occurrence o
         WHERE f.backed_off IS NOT NULL
           AND o.tenant = %(tenant)s AND o.task = k.task AND o.lane = 'series'
           AND o.state NOT IN ('pending', 'retired', 'ended') AND o.started IS NOT NULL
         ORDER BY o.due DESC LIMIT 1) s ON true
