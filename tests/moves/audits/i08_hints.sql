-- I8: a one-shot is consumed once, by the start of a row of its task; no two runs stand for one wish.
SELECT h.tenant, h.task, 'consumed by what never started' AS what, ARRAY[h.consumed_by] AS keys
  FROM ledger.hint h
  LEFT JOIN ledger.occurrence o ON o.tenant = h.tenant AND o.task = h.task AND o.key = h.consumed_by
 WHERE h.consumed_by IS NOT NULL AND (h.kind <> 'oneshot' OR o.started IS NULL)
UNION ALL
SELECT h.tenant, h.task, 'a run stood for it, and it stands still', ARRAY[o.key]
  FROM ledger.hint h
  JOIN ledger.occurrence o ON o.tenant = h.tenant AND o.task = h.task AND o.lane = 'series' AND o.started >= h.given
 WHERE h.kind = 'oneshot' AND h.consumed_by IS NULL AND o.trail ->> 'won' = 'oneshot'
UNION ALL
SELECT o.tenant, o.task, 'two runs of one wish', array_agg(o.key)
  FROM ledger.occurrence o
 CROSS JOIN LATERAL jsonb_array_elements(o.trail -> 'hints') AS w (hint)
 WHERE o.lane = 'series' AND o.started IS NOT NULL AND o.trail ->> 'won' = 'oneshot' AND w.hint ->> 'kind' = 'oneshot'
 GROUP BY o.tenant, o.task, w.hint ->> 'at', w.hint ->> 'given' HAVING count(*) > 1
