-- Ends a life that has no run left; nobody looks for it any more. Its heartbeat says why.
-- Parameters: id, why. Index: incarnation_pkey, dispatcher_pkey, one_running (walked once). Answers no rows.
WITH over AS (
    UPDATE ledger.incarnation i SET ended = clock_timestamp()
     WHERE i.id = %(id)s::integer AND i.ended IS NULL
       AND NOT EXISTS (SELECT FROM ledger.occurrence o WHERE o.state = 'running' AND o.incarnation = i.id)
    RETURNING i.id
)
UPDATE ledger.dispatcher d SET state = 'stopped', why = %(why)s::text, tick = clock_timestamp()
  FROM over WHERE d.incarnation = over.id AND d.state <> 'stopped'
