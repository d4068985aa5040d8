-- Reads when to look again: the first row that is due but was not free, and the first that is not due yet. A row that
-- stays held must not hide those after it, so the two are told apart.
-- Promises: I9 (the difference is taken between two times of this database). Parameters: deliveries: array.
-- Index: due_now, one entry each. One row.
SELECT clock_timestamp() AS moment,
       (SELECT o.run_at FROM ledger.occurrence o
         WHERE o.state = 'pending' AND o.blocked_by IS NULL AND o.delivery <> 'pull' AND o.run_at <= now()
           AND o.delivery = ANY (%(deliveries)b::text[]) ORDER BY o.run_at LIMIT 1) AS held,
       (SELECT o.run_at FROM ledger.occurrence o
         WHERE o.state = 'pending' AND o.blocked_by IS NULL AND o.delivery <> 'pull' AND o.run_at > now()
           AND o.delivery = ANY (%(deliveries)b::text[]) ORDER BY o.run_at LIMIT 1) AS next
