-- Counts, for each tenant, the rows that look_zones would read.
-- Promises: I20. Parameters: tzdata. No index: it reads what is open, of everybody, once for each move of the rules.
-- Zero rows: the zone rules asked for gave every instant.
SELECT o.tenant, count(*) AS rows
  FROM ledger.occurrence o
  JOIN ledger.task t ON t.tenant = o.tenant AND t.task = o.task AND t.enabled AND t.digest = o.digest
  JOIN ledger.definition d ON d.tenant = o.tenant AND d.digest = o.digest AND d.canonical LIKE '%%"timezone":"%%'
 WHERE o.state IN ('pending', 'ended') AND o.lane = 'series' AND o.tzdata IS DISTINCT FROM %(tzdata)s::text
   AND (o.state = 'pending'
        OR NOT EXISTS (SELECT FROM ledger.occurrence p
                        WHERE p.tenant = o.tenant AND p.task = o.task AND p.lane = 'series' AND p.state = 'pending'))
 GROUP BY o.tenant
 ORDER BY o.tenant
