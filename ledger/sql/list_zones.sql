-- Counts, for each tenant, the open series rows and those that say a series has ended, where another release of the zone
-- rules gave the instant than the one that is asked for; whether zones matter to them is asked tenant by tenant.
-- Promises: I20. Parameters: tzdata. Index: one_open and ended; it reads what is open, of everybody, once for each move.
-- Zero rows: the zone rules asked for gave every instant.
SELECT o.tenant, count(*) AS rows
  FROM (SELECT s.tenant FROM ledger.occurrence s
         WHERE s.state = 'pending' AND s.lane = 'series' AND s.tzdata IS DISTINCT FROM %(tzdata)s::text
        UNION ALL
        SELECT e.tenant FROM ledger.occurrence e
         WHERE e.state = 'ended' AND e.tzdata IS DISTINCT FROM %(tzdata)s::text) o
 GROUP BY o.tenant
 ORDER BY o.tenant
