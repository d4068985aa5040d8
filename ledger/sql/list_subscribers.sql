-- Lists who is sent events, how far each has come, and what waits for it; of what has no number yet, too.
-- Parameters: name: null for all. Index: subscriber_pkey; event_tenant, event_order, event_unnumbered.
-- Zero rows: nobody is told.
SELECT s.name, s.tenant, s.url, s.kinds, s.secret, s.bound, s.added, s.by, s.after, s.sent, s.dropped, s.failures,
       s.try_at, s.sent_at, s.error, now() AS moment, w.waiting, w.oldest
  FROM ledger.subscriber s
 CROSS JOIN LATERAL (
       SELECT count(*)::bigint AS waiting, min(u.at) AS oldest
         FROM (SELECT e.at, e.kind, e.reason FROM ledger.event e WHERE s.tenant IS NULL AND e.n > s.after
               UNION ALL
               SELECT e.at, e.kind, e.reason FROM ledger.event e WHERE s.tenant IS NULL AND e.n IS NULL AND e.at >= s.added
               UNION ALL
               SELECT e.at, e.kind, e.reason FROM ledger.event e WHERE e.tenant = s.tenant AND e.n > s.after
               UNION ALL
               SELECT e.at, e.kind, e.reason FROM ledger.event e
                WHERE e.tenant = s.tenant AND e.n IS NULL AND e.at >= s.added) u
        WHERE u.kind = ANY (s.kinds) OR u.kind || ':' || u.reason = ANY (s.kinds)) w
 WHERE s.name = coalesce(%(name)s::text, s.name)
 ORDER BY s.name
