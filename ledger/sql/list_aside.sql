-- Lists rows that were set aside and whose next try has come.
-- Promises: I12. Parameters: deliveries: array; n: rows at most. Index: waiting (empty for ordinary rows).
-- Zero rows: none.
SELECT o.tenant, o.task, o.key, o.delivery
  FROM ledger.occurrence o
 WHERE o.state = 'pending' AND o.blocked_by IS NOT NULL AND o.blocked_by = o.key AND o.retry_at <= now()
   AND o.delivery = ANY (%(deliveries)b::text[])
 ORDER BY o.retry_at
 LIMIT %(n)s::integer
