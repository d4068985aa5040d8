-- Takes due rows with their tasks, of each tenant a share and of each its oldest first: the claim where one tenant has more
-- due than its share, or is at its cap. A loose scan finds the tenants, a look-up each, so that however much is due of
-- one tenant, none of it is walked for another. Where there are more tenants than rows asked for, the turn goes round.
-- Promises: I9, I11, I12. Parameters: deliveries, out (tenants left out): arrays; n: rows at most; beyond: the tenant that
-- had the last turn. Index: due_tenant, task_pkey. Zero rows: nothing is due that is free, but of tenants left out.
WITH RECURSIVE heads AS (
    (SELECT o.tenant, o.run_at FROM ledger.occurrence o
      WHERE o.state = 'pending' AND o.blocked_by IS NULL ORDER BY o.tenant, o.run_at LIMIT 1)
    UNION ALL
    SELECT f.tenant, f.run_at
      FROM heads h
     CROSS JOIN LATERAL (
            SELECT o.tenant, o.run_at FROM ledger.occurrence o
             WHERE o.state = 'pending' AND o.blocked_by IS NULL AND o.tenant > h.tenant
             ORDER BY o.tenant, o.run_at LIMIT 1) f
), turns AS MATERIALIZED (
    SELECT h.tenant, count(*) OVER () AS tenants
      FROM heads h
     WHERE h.run_at <= now() AND h.tenant <> ALL (%(out)b::text[])
     ORDER BY h.tenant <= %(beyond)s, h.tenant
     LIMIT %(n)s::integer
)
SELECT d.key, d.tenant, d.task, d.digest, d.state, d.blocked_by, d.reason, d.lane, d.wake, d.due, d.run_at,
       d.predecessor, d.exclusive, d.failures, d.won, now() AS moment, d.enabled, d.digest_in_force
  FROM turns u
 CROSS JOIN LATERAL (
        SELECT o.key, o.tenant, o.task, o.digest, o.state, o.blocked_by, o.reason, o.lane, o.wake, o.due, o.run_at,
               o.predecessor, o.exclusive, o.failures, o.trail ->> 'won' AS won, t.enabled, t.digest AS digest_in_force
          FROM ledger.task t
          JOIN ledger.occurrence o ON t.tenant = o.tenant AND t.task = o.task
         WHERE o.tenant = u.tenant AND o.state = 'pending' AND o.blocked_by IS NULL AND o.delivery <> 'pull'
           AND o.run_at <= now() AND o.delivery = ANY (%(deliveries)b::text[])
         ORDER BY o.run_at
         LIMIT greatest(1, %(n)s::integer / u.tenants)
           FOR NO KEY UPDATE OF t SKIP LOCKED
           FOR UPDATE OF o SKIP LOCKED) d
