-- Looks at the oldest events, a batch at a time, and removes those kept for long enough: that no subscriber waits for, or
-- that one waits for beyond its own bound. Each subscriber that loses some has them counted, each tenant up to where.
-- Parameters: keep: for how long all are kept; beyond: the number to go on behind; n.
-- Index: event_order; event_gone_pkey, subscriber_pkey.
-- Answers the batch: rows looked at, up to which number, how many are older than `keep`, how many were removed, and from
-- whom unsent: a row for each subscriber that lost some, else one without a name.
WITH looked AS MATERIALIZED (
    SELECT e.ctid AS place, e.tenant, e.n, e.kind, e.reason, e.at FROM ledger.event e
     WHERE e.n > %(beyond)s::bigint ORDER BY e.n LIMIT %(n)s
), old AS MATERIALIZED (
    SELECT e.place FROM looked e
     WHERE e.at < now() - %(keep)s::interval
       AND NOT EXISTS (SELECT FROM ledger.subscriber s
                        WHERE (s.tenant IS NULL OR s.tenant = e.tenant) AND s.after < e.n AND e.at >= now() - s.bound
                          AND (e.kind = ANY (s.kinds) OR e.kind || ':' || e.reason = ANY (s.kinds)))
), gone AS (
    -- By their places, which no event changes once it has its number: a join may be planned over the whole table.
    DELETE FROM ledger.event e WHERE e.ctid = ANY (ARRAY(SELECT o.place FROM old o))
    RETURNING e.tenant, e.n, e.kind, e.reason
), noted AS (
    INSERT INTO ledger.event_gone AS x (tenant, n, at) SELECT g.tenant, max(g.n), now() FROM gone g GROUP BY g.tenant
        ON CONFLICT (tenant) DO UPDATE SET n = greatest(x.n, excluded.n), at = excluded.at
), lost AS (
    SELECT s.name, count(*) AS events FROM ledger.subscriber s
      JOIN gone g ON (s.tenant IS NULL OR s.tenant = g.tenant) AND s.after < g.n
                 AND (g.kind = ANY (s.kinds) OR g.kind || ':' || g.reason = ANY (s.kinds))
     GROUP BY s.name
), said AS (
    UPDATE ledger.subscriber s SET dropped = s.dropped + l.events FROM lost l WHERE s.name = l.name
)
SELECT (SELECT count(*) FROM looked) AS looked, (SELECT max(x.n) FROM looked x) AS upto,
       (SELECT count(*) FROM looked x WHERE x.at < now() - %(keep)s::interval) AS past, (SELECT count(*) FROM gone) AS removed,
       l.name, coalesce(l.events, 0) AS lost
  FROM (VALUES (1)) one (n) LEFT JOIN lost l ON true
