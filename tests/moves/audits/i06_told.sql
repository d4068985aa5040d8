-- I6: each row that closed badly, or was skipped, stands in the outbox once, with its state; of those that succeeded the
-- ones that say what they recovered from. No other row does.
SELECT o.tenant, o.task, o.key, o.state, o.reason, e.kind
  FROM ledger.occurrence o
  LEFT JOIN ledger.event e ON e.key = o.key AND e.tenant = o.tenant
 WHERE e.kind IS DISTINCT FROM CASE WHEN o.state IN ('failed', 'timed_out', 'lost', 'skipped') THEN o.state
                                    WHEN o.state = 'succeeded' AND starts_with(o.reason, 'recovered ') THEN 'recovered' END
