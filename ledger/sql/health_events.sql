-- Reads what waits to be sent to subscribers: how many events over all of them, since when the oldest, and who fails.
-- No parameters. Index: event_order, event_tenant, event_unnumbered; subscriber whole. Answers one row.
SELECT count(*)::integer AS subscribers, count(*) FILTER (WHERE s.failures > 0)::integer AS failing,
       coalesce(sum(w.waiting), 0)::bigint AS waiting, min(w.oldest) AS oldest, coalesce(sum(s.dropped), 0)::bigint AS dropped
  FROM ledger.subscriber s
 CROSS JOIN LATERAL (
       SELECT count(*) AS waiting, min(u.at) AS oldest
         FROM (SELECT e.at, e.kind, e.reason FROM ledger.event e WHERE s.tenant IS NULL AND e.n > s.after
               UNION ALL
               SELECT e.at, e.kind, e.reason FROM ledger.event e WHERE s.tenant IS NULL AND e.n IS NULL AND e.at >= s.added
               UNION ALL
               SELECT e.at, e.kind, e.reason FROM ledger.event e WHERE e.tenant = s.tenant AND e.n > s.after
               UNION ALL
               SELECT e.at, e.kind, e.reason FROM ledger.event e
                WHERE e.tenant = s.tenant AND e.n IS NULL AND e.at >= s.added) u
        WHERE u.kind = ANY (s.kinds) OR u.kind || ':' || u.reason = ANY (s.kinds)) w
