-- Takes up subscribers for whom there may be something new, who waited longest first, and moves the time at which
-- another process may take them up: it is what says, to whoever took one up, that it still is theirs.
-- Parameters: n; hold. Index: subscriber_pkey, walked. Zero rows: nobody has anything to be sent now.
WITH free AS MATERIALIZED (
    SELECT s.name FROM ledger.subscriber s
     WHERE s.try_at <= now() AND s.after < (SELECT c.last FROM ledger.event_count c WHERE c.single)
     ORDER BY s.try_at, s.name
     LIMIT %(n)s
       FOR UPDATE SKIP LOCKED
)
UPDATE ledger.subscriber s SET try_at = now() + %(hold)s::interval
  FROM free f
 WHERE s.name = f.name
RETURNING s.name, s.tenant, s.url, s.kinds, s.secret, s.after, s.failures, s.try_at
