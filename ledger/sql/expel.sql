-- Ends the presence of an incarnation by a person's decision, whatever its lock says; the first word stays.
-- Promises: I15. Parameters: id, by, why. Index: incarnation_pkey, one_running (walked once).
-- Zero rows: there is no such incarnation, or it has ended by itself.
UPDATE ledger.incarnation i
   SET expelled = coalesce(i.expelled, clock_timestamp()), expelled_by = coalesce(i.expelled_by, %(by)s::text),
       expelled_why = coalesce(i.expelled_why, %(why)s::text)
 WHERE i.id = %(id)s::integer AND (i.ended IS NULL OR i.expelled IS NOT NULL)
RETURNING i.id, i.slot, i.host, i.registered, i.expelled, i.expelled_by AS by, i.expelled_why AS why,
          (SELECT count(*) FROM ledger.occurrence o WHERE o.state = 'running' AND o.incarnation = i.id) AS runs
