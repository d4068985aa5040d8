-- Adds who is to be sent events, or changes one that stands: how far it was sent stays.
-- Parameters: name, tenant (null: all), url, kinds: array, secret, bound, by, after (null: what is told from now on).
-- Index: subscriber_pkey. Answers one row: behind which number it is sent on.
INSERT INTO ledger.subscriber AS s (name, tenant, url, kinds, secret, bound, added, by, after, try_at)
VALUES (%(name)s, %(tenant)s::text, %(url)s, %(kinds)b::text[], %(secret)s, %(bound)s::interval, now(), %(by)s,
        coalesce(%(after)s::bigint, (SELECT c.last FROM ledger.event_count c WHERE c.single)), now())
    ON CONFLICT (name) DO UPDATE
   SET tenant = excluded.tenant, url = excluded.url, kinds = excluded.kinds, secret = excluded.secret, bound = excluded.bound,
       by = excluded.by, after = coalesce(%(after)s::bigint, s.after), failures = 0, try_at = now(), error = NULL
RETURNING s.after
