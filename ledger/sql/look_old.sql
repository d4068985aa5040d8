-- Looks at a page of rows older than the hot window, oldest first, and says of each whether it may leave for the archive:
-- closed, or retired and its slot behind the series' frontier; and nothing will ask for it where rows are claimed. What
-- stays: the row at the frontier and the retries of its slot, the series' last start, slots and lanes of which anything is
-- open, and rows whose key is not of their day. None of this is undone by what others do meanwhile, so no lock is needed.
-- A task is looked up once for all of its rows.
-- Promises: I2, I16. Parameters: key, tenant: the last row looked at; until: the first key that is too young; cutoff: where
-- the hot window begins; n: rows at most. Index: occurrence_pkey, walked from there; one_slot, one_open, one_running.
-- Zero rows: no row behind that one is old enough.
WITH page AS MATERIALIZED (
    SELECT o.key, o.tenant, o.task, o.lane, o.state, o.due, o.closed, o.fingerprint
      FROM ledger.occurrence o
     WHERE (o.key, o.tenant) > (%(key)s::uuid, %(tenant)s::text) AND o.key < %(until)s::uuid
     ORDER BY o.key, o.tenant
     LIMIT %(n)s::integer
), series AS MATERIALIZED (
    SELECT k.tenant, k.task, f.due AS frontier, s.key AS last_start
      FROM (SELECT DISTINCT p.tenant, p.task FROM page p) k
      LEFT JOIN LATERAL (
            SELECT o.due FROM ledger.occurrence o
             WHERE o.tenant = k.tenant AND o.task = k.task AND o.lane = 'series'
               AND o.state NOT IN ('pending', 'retired', 'ended') ORDER BY o.due DESC LIMIT 1) f ON true
      LEFT JOIN LATERAL (
            SELECT o.key FROM ledger.occurrence o
             WHERE o.tenant = k.tenant AND o.task = k.task AND o.lane = 'series'
               AND o.state NOT IN ('pending', 'retired', 'ended') AND o.started IS NOT NULL
             ORDER BY o.due DESC LIMIT 1) s ON true
)
SELECT p.key, p.tenant, p.due,
       p.state NOT IN ('pending', 'running', 'ended') AND greatest(p.due, p.closed) < %(cutoff)s::timestamptz
       AND CASE WHEN p.lane = 'series' OR p.lane LIKE 'retry:%%' THEN coalesce(p.due < series.frontier, false) ELSE true END
       AND p.key IS DISTINCT FROM series.last_start
       AND p.key = ledger.key_of(p.fingerprint, p.due)
       AND NOT EXISTS (
            SELECT FROM ledger.occurrence q
             WHERE q.tenant = p.tenant AND q.task = p.task AND q.state = 'pending'
               AND (q.due = p.due OR q.lane = p.lane AND q.lane <> 'series'))
       AND NOT EXISTS (
            SELECT FROM ledger.occurrence r
             WHERE r.tenant = p.tenant AND r.task = p.task AND r.state = 'running'
               AND (r.due = p.due OR r.lane = p.lane AND r.lane <> 'series')) AS leaves
  FROM page p
  JOIN series ON series.tenant = p.tenant AND series.task = p.task
 ORDER BY p.key, p.tenant
