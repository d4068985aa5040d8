-- Reads when to look again: how many rows are due, held by others or not, and when the first one comes that is not due
-- yet. It goes with a claim, in one turn: what is due and was not taken is held. A row that stays held must not hide
-- those after it.
-- Promises: I9 (the difference is taken between two times of this database). Parameters: deliveries: array; n: rows
-- counted at most. Index: due_now. One row.
SELECT clock_timestamp() AS moment,
       (SELECT count(*)::integer
          FROM (SELECT 1 FROM ledger.occurrence o
                 WHERE o.state = 'pending' AND o.blocked_by IS NULL AND o.delivery <> 'pull' AND o.run_at <= now()
                   AND o.delivery = ANY (%(deliveries)b::text[]) LIMIT %(n)s::integer) AS due) AS due,
       (SELECT o.run_at FROM ledger.occurrence o
         WHERE o.state = 'pending' AND o.blocked_by IS NULL AND o.delivery <> 'pull' AND o.run_at > now()
           AND o.delivery = ANY (%(deliveries)b::text[]) ORDER BY o.run_at LIMIT 1) AS next
