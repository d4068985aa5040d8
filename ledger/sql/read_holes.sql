-- Reads what tells how it came to a repair: the task's newest act, the series' newest row that ran or was passed over, and
-- the row itself that was repaired.
-- Promises: I13, I18. Parameters: tenant; tasks, keys: arrays of one length. Index: act_pkey and one_slot, both backwards,
-- occurrence_pkey, a row each. One row for each pair, in their order.
SELECT k.task, k.key, t.digest AS in_force,
       a.n AS act, a.what, a.by AS act_by, a.at AS act_at,
       f.key AS before, f.state AS before_state, f.by AS before_by, f.at AS before_at,
       o.made_by, o.created, o.tzdata, o.deadline, o.closed_by
  FROM unnest(%(tasks)b::text[], %(keys)b::uuid[]) WITH ORDINALITY AS k (task, key, i)
  LEFT JOIN ledger.task t ON t.tenant = %(tenant)s AND t.task = k.task
  LEFT JOIN LATERAL (
        SELECT c.n, c.what, c.by, c.at FROM ledger.act c
         WHERE c.tenant = %(tenant)s AND c.task = k.task ORDER BY c.n DESC LIMIT 1) a ON true
  LEFT JOIN LATERAL (
        SELECT s.key, s.state, coalesce(s.started, s.closed) AS at,
               coalesce('incarnation ' || s.incarnation, s.closed_by) AS by
          FROM ledger.occurrence s
         WHERE s.tenant = %(tenant)s AND s.task = k.task AND s.lane = 'series'
           AND s.state NOT IN ('pending', 'retired', 'ended') ORDER BY s.due DESC LIMIT 1) f ON true
  LEFT JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = %(tenant)s
 ORDER BY k.i
