-- Lists rows that failed alone and are set aside.
-- Promises: I12, I14. Parameters: tenant (null: all), n. Index: waiting (empty for ordinary rows). Zero rows: none.
SELECT o.tenant, o.task, o.key, o.due, o.reason, o.retry_at
  FROM ledger.occurrence o
 WHERE o.state = 'pending' AND o.blocked_by IS NOT NULL AND o.blocked_by = o.key
   AND (%(tenant)s::text IS NULL OR o.tenant = %(tenant)s)
 ORDER BY o.due
 LIMIT %(n)s
