-- Counts the rows that are due for long, by kinds of delivery that no dispatcher which ticks serves.
-- Promises: I14. Parameters: tenant (null: all), late, fresh: intervals. Index: due_now; dispatcher and incarnation (few rows
-- are alive). Zero rows: whatever is due is served.
SELECT u.delivery, u.rows, u.oldest
  FROM (SELECT o.delivery, count(*) AS rows, min(o.run_at) AS oldest FROM ledger.occurrence o
         WHERE o.state = 'pending' AND o.blocked_by IS NULL AND o.delivery <> 'pull' AND o.run_at < now() - %(late)s::interval
           AND (%(tenant)s::text IS NULL OR o.tenant = %(tenant)s)
         GROUP BY o.delivery) u
 WHERE NOT EXISTS (SELECT FROM ledger.dispatcher d JOIN ledger.incarnation i ON i.id = d.incarnation
                    WHERE i.ended IS NULL AND d.state <> 'stopped' AND d.tick > now() - %(fresh)s::interval
                      AND u.delivery = ANY (d.deliveries))
 ORDER BY u.delivery
