-- Lists the open rows that are due for longest and have not started, of any delivery.
-- Promises: I14, I18. Parameters: tenant (null: all), late: interval, n. Index: due_now; for `pull`, due_tenant.
-- Zero rows: nothing waits to be started for longer than that.
SELECT o.tenant, o.task, o.key, o.delivery, o.run_at
  FROM ((SELECT a.tenant, a.task, a.key, a.delivery, a.run_at FROM ledger.occurrence a
          WHERE a.state = 'pending' AND a.blocked_by IS NULL AND a.delivery <> 'pull' AND a.run_at < now() - %(late)s::interval
            AND (%(tenant)s::text IS NULL OR a.tenant = %(tenant)s)
          ORDER BY a.run_at LIMIT %(n)s)
        UNION ALL
        (SELECT b.tenant, b.task, b.key, b.delivery, b.run_at FROM ledger.occurrence b
          WHERE b.state = 'pending' AND b.blocked_by IS NULL AND b.delivery = 'pull' AND b.run_at < now() - %(late)s::interval
            AND (%(tenant)s::text IS NULL OR b.tenant = %(tenant)s)
          ORDER BY b.run_at LIMIT %(n)s)) o
 ORDER BY o.run_at
 LIMIT %(n)s
