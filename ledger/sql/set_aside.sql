-- Sets aside a row that fails alone, outside the due indexes until retry_at; due and run_at stay. Each time it waits
-- twice as long, an hour at most; its history keeps how many times it was.
-- Promises: I12. Parameters: key, tenant, reason, wait: interval. Index: occurrence_pkey.
-- Zero rows: no longer pending, or set aside just now; nothing is to be done.
WITH before AS (
    SELECT coalesce(max((e.entry ->> 'aside')::integer), 0) AS times,
           coalesce(jsonb_agg(e.entry) FILTER (WHERE NOT e.entry ? 'aside'), '[]') AS rest
      FROM ledger.occurrence o
     CROSS JOIN LATERAL jsonb_array_elements(coalesce(o.history, '[]')) AS e (entry)
     WHERE o.key = %(key)s AND o.tenant = %(tenant)s
)
UPDATE ledger.occurrence o
   SET blocked_by = o.key, reason = %(reason)s,
       retry_at = now() + least(%(wait)s::interval * 2 ^ least(before.times, 20), interval '1 hour'),
       history = before.rest || jsonb_build_object('aside', before.times + 1)
  FROM before
 WHERE o.key = %(key)s AND o.tenant = %(tenant)s AND o.state = 'pending'
   AND (o.blocked_by IS NULL OR o.blocked_by <> o.key OR o.retry_at <= now())
RETURNING o.key, o.tenant
