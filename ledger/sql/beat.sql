-- The heartbeat of a dispatcher: evidence for people, no decision reads it.
-- Promises: I14. Parameters: incarnation, state, why, looked_at, started, finished (since it began), deliveries: array.
-- Index: dispatcher_pkey. Answers no rows.
INSERT INTO ledger.dispatcher (incarnation, state, why, tick, looked_at, started, finished, deliveries)
VALUES (%(incarnation)s::integer, %(state)s, %(why)s, clock_timestamp(), %(looked_at)s::bigint, %(started)s::bigint,
        %(finished)s::bigint, %(deliveries)b::text[])
    ON CONFLICT (incarnation) DO UPDATE
       SET state = excluded.state, why = excluded.why, tick = excluded.tick, looked_at = excluded.looked_at,
           started = excluded.started, finished = excluded.finished, deliveries = excluded.deliveries
