-- I4: an enabled task has one open series row under its digest, or the `ended` row of that digest, or both where a
-- hint has opened the one beside the other; nothing is open under another digest, or for a task that is off or gone.
SELECT t.tenant, t.task, 'enabled, but open, hinted and ended rows are' AS what,
       s.open || ', ' || s.hinted || ' and ' || s.ended AS found
  FROM ledger.task t
 CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE o.state = 'pending') AS open,
               count(*) FILTER (WHERE o.state = 'pending' AND o.wake = 'hint') AS hinted,
               count(*) FILTER (WHERE o.state = 'ended') AS ended
          FROM ledger.occurrence o
         WHERE o.tenant = t.tenant AND o.task = t.task AND o.lane = 'series' AND o.digest = t.digest) s
 WHERE t.enabled AND (s.open, s.ended) NOT IN ((1, 0), (0, 1)) AND (s.open, s.hinted, s.ended) <> (1, 1, 1)
UNION ALL
SELECT o.tenant, o.task, 'open, but the task is off, gone or edited', o.lane
  FROM ledger.occurrence o
  LEFT JOIN ledger.task t ON t.tenant = o.tenant AND t.task = o.task AND t.enabled AND t.digest = o.digest
 WHERE o.state = 'pending' AND t.task IS NULL
