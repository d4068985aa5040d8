-- I16: series go forward: the open row is due later than every one that runs or is closed.
SELECT o.tenant, o.task, o.key, o.due, f.frontier
  FROM ledger.occurrence o
 CROSS JOIN LATERAL (
        SELECT max(c.due) AS frontier FROM ledger.occurrence c
         WHERE c.tenant = o.tenant AND c.task = o.task AND c.lane = 'series'
           AND c.state NOT IN ('pending', 'retired', 'ended')) f
 WHERE o.lane = 'series' AND o.state = 'pending' AND o.due <= f.frontier
