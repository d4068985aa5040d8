-- Lists runs in whose way slot after slot of their own task was skipped: the guard must not starve a task in silence.
-- Promises: I14, I18. Parameters: tenant (null: all), least: skips, n. Index: one_running (walked once), one_slot.
-- Zero rows: no run stands in the way for so long.
SELECT r.tenant, r.task, r.key, r.started, r.deadline, s.skips
  FROM ledger.occurrence r
 CROSS JOIN LATERAL (
        SELECT count(*) AS skips
          FROM (SELECT FROM ledger.occurrence s
                 WHERE s.tenant = r.tenant AND s.task = r.task AND s.lane = 'series' AND s.due > r.due
                   AND s.state NOT IN ('pending', 'retired', 'ended') AND s.state = 'skipped' AND s.blocked_by = r.key
                 LIMIT 1000) s) s
 WHERE r.state = 'running' AND (%(tenant)s::text IS NULL OR r.tenant = %(tenant)s) AND s.skips >= %(least)s
 ORDER BY s.skips DESC, r.started
 LIMIT %(n)s
