-- Reads how each task of a range stands with its open rows, both ways, with the facts that each row's key must be of:
-- `open`, `ended` (no slot is left), or what needs repair: `missing`, `dead digest`, `stray` (its task is off or gone).
-- The range (both ends in it) serves a whole tenant, one task, and what lies between, with one plan.
-- Promises: I1, I4, I11. Parameters: tenant, first, last. Index: task_pkey, one_open, ended.
-- Zero rows: no task of the range is enabled, and nothing of it is open.
SELECT coalesce(t.task, o.task) AS task, coalesce(o.lane, 'series') AS lane,
       CASE WHEN t.task IS NULL OR NOT t.enabled THEN 'stray'
            WHEN o.digest = t.digest THEN 'open'
            WHEN o.key IS NOT NULL THEN 'dead digest'
            WHEN EXISTS (SELECT FROM ledger.occurrence e WHERE e.tenant = %(tenant)s AND e.task = t.task
                                                           AND e.digest = t.digest AND e.state = 'ended') THEN 'ended'
            ELSE 'missing' END AS kind,
       o.key, o.key_version, o.fingerprint, o.delivery, o.wake, o.agent, o.destination, o.digest, o.due
  FROM (SELECT k.task, k.enabled, k.digest FROM ledger.task k
         WHERE k.tenant = %(tenant)s AND k.task >= %(first)s AND k.task <= %(last)s) t
  FULL JOIN (SELECT s.* FROM ledger.occurrence s
              WHERE s.tenant = %(tenant)s AND s.task >= %(first)s AND s.task <= %(last)s
                AND s.state = 'pending' AND s.lane = 'series') o ON o.task = t.task
 WHERE t.enabled OR o.key IS NOT NULL
UNION ALL
SELECT o.task, o.lane,
       CASE WHEN t.task IS NULL OR NOT t.enabled THEN 'stray'
            WHEN o.digest = t.digest THEN 'open' ELSE 'dead digest' END,
       o.key, o.key_version, o.fingerprint, o.delivery, o.wake, o.agent, o.destination, o.digest, o.due
  FROM ledger.occurrence o
  LEFT JOIN ledger.task t ON t.tenant = o.tenant AND t.task = o.task
 WHERE o.tenant = %(tenant)s AND o.task >= %(first)s AND o.task <= %(last)s AND o.state = 'pending' AND o.lane <> 'series'
