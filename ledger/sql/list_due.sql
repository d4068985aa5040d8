-- Lists due rows as a claim would take them, without a lock: what a batch that failed is done again by, row by row.
-- Promises: I12. Parameters: deliveries: array; n: rows at most. Index: due_now. Zero rows: nothing is due.
SELECT o.tenant, o.task, o.key
  FROM ledger.occurrence o
 WHERE o.state = 'pending' AND o.blocked_by IS NULL AND o.delivery <> 'pull' AND o.run_at <= now()
   AND o.delivery = ANY (%(deliveries)b::text[])
 ORDER BY o.run_at
 LIMIT %(n)s::integer
