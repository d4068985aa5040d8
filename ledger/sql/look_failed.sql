-- Lists enabled tasks whose series failed at its frontier, with that row: it may ask for a retry that was never minted,
-- and many in a row are worth a look. `acted_since`: an act came later, which may have dropped the retry on purpose.
-- Promises: I6. Parameters: tenant, first, last. Index: task_pkey; one_slot and act_pkey backwards, one row each.
-- Zero rows: no series of the range failed last.
SELECT t.task, t.digest AS in_force, f.key, f.due, f.closed, f.state, f.reason, f.wake, f.handed, f.history, f.failures,
       a.at > f.closed AS acted_since
  FROM ledger.task t
 CROSS JOIN LATERAL (
        SELECT o.key, o.due, o.closed, o.state, o.reason, o.wake, o.handed, o.history, o.failures FROM ledger.occurrence o
         WHERE o.tenant = t.tenant AND o.task = t.task AND o.lane = 'series'
           AND o.state NOT IN ('pending', 'retired', 'ended') ORDER BY o.due DESC LIMIT 1) f
 CROSS JOIN LATERAL (
        SELECT c.at FROM ledger.act c WHERE c.tenant = t.tenant AND c.task = t.task ORDER BY c.n DESC LIMIT 1) a
 WHERE t.tenant = %(tenant)s AND t.task >= %(first)s AND t.task <= %(last)s AND t.enabled
   AND f.state IN ('failed', 'timed_out', 'lost')
