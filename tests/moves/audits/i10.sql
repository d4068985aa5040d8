-- I10: the series rows that ran or were passed over tile time since the last act: `after` is the `due` of the one
-- before, or the act's `resume_after` if that is later; and so does the open row. The act is the newest when the
-- row left pending (for the open row: the newest); at the very instant of an act, either order of the two will do.
WITH tile AS (
    SELECT o.tenant, o.task, o.key, o.state, o.digest, o.after, o.due, coalesce(o.started, o.closed) AS at,
           lag(o.due) OVER (PARTITION BY o.tenant, o.task ORDER BY o.due) AS before
      FROM ledger.occurrence o
     WHERE o.lane = 'series' AND o.state NOT IN ('retired', 'ended')
)
SELECT tile.tenant, tile.task, tile.key, tile.state, tile.after, tile.before, tile.due
  FROM tile
 WHERE tile.after IS NULL OR tile.after >= tile.due OR NOT EXISTS (
        SELECT FROM ledger.act a
         WHERE a.tenant = tile.tenant AND a.task = tile.task AND a.enabled AND a.digest = tile.digest
           AND (tile.at IS NULL OR a.at <= tile.at)
           AND tile.after = greatest(a.resume_after, tile.before)
           AND NOT EXISTS (
                SELECT FROM ledger.act later
                 WHERE later.tenant = a.tenant AND later.task = a.task AND later.n > a.n
                   AND (tile.at IS NULL OR later.at < tile.at)))
