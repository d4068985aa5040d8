-- Notes how far a subscriber was sent, and when it may be taken up again.
-- Parameters: name; held: the time that taking it up has set; after; sent: how many; failures; wait; error (null: none).
-- Index: subscriber_pkey. Zero rows: another has taken it up since, or it was changed or removed; what was sent may come
-- to it twice.
UPDATE ledger.subscriber s
   SET after = greatest(s.after, %(after)s::bigint), sent = s.sent + %(sent)s::bigint, failures = %(failures)s::integer,
       try_at = now() + %(wait)s::interval, error = %(error)s::text,
       sent_at = CASE WHEN %(sent)s::bigint > 0 THEN now() ELSE s.sent_at END
 WHERE s.name = %(name)s AND s.try_at = %(held)s
RETURNING s.name
