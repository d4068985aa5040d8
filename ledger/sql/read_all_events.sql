-- Reads events of all tenants in the order of their numbers, a page at a time.
-- Parameters: after: the number to go on behind; kinds: array of kinds, or kind:reason; n. Index: event_order.
-- Zero rows: none of these kinds lies behind that number.
SELECT e.n, e.tenant, e.key, e.task, e.kind, e.at, e.wake, e.due, e.reason, e.error, e.blocker, e.failures, e.retry
  FROM ledger.event e
 WHERE e.n > %(after)s::bigint
   AND (e.kind = ANY (%(kinds)b::text[]) OR e.kind || ':' || e.reason = ANY (%(kinds)b::text[]))
 ORDER BY e.n
 LIMIT %(n)s
