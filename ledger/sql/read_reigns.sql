-- Reads the acts under which a task stood from an instant on, in their order, and the moment of the look.
-- The first is the newest act that had come by then; before a task was defined there is none.
-- Promises: I10, I11. Parameters: tenant, task; low: an instant; n. Index: act_pkey, backwards to that instant.
-- Zero rows: the task was never defined.
SELECT a.n, a.at, a.by, a.what, a.digest, a.enabled, a.resume_after, a.note, clock_timestamp() AS moment
  FROM ledger.act a
 WHERE a.tenant = %(tenant)s AND a.task = %(task)s
   AND a.n >= coalesce((SELECT b.n FROM ledger.act b
                         WHERE b.tenant = %(tenant)s AND b.task = %(task)s AND b.at <= %(low)s
                         ORDER BY b.n DESC LIMIT 1), 0)
 ORDER BY a.n
 LIMIT %(n)s
