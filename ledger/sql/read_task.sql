-- Reads one task with its definition and what its series does next.
-- Parameters: tenant, task. Index: as list_tasks. Zero rows: no such task.
SELECT t.task, t.enabled, t.digest, d.canonical, o.key AS next_key, o.due AS next,
       e.key IS NOT NULL AS ended, r.key AS running
  FROM ledger.task t
  JOIN ledger.definition d ON d.tenant = t.tenant AND d.digest = t.digest
  LEFT JOIN ledger.occurrence o
    ON o.tenant = t.tenant AND o.task = t.task AND o.lane = 'series' AND o.state = 'pending'
  LEFT JOIN LATERAL (
        SELECT e.key FROM ledger.occurrence e
         WHERE t.enabled AND e.tenant = t.tenant AND e.task = t.task AND e.digest = t.digest AND e.state = 'ended'
         LIMIT 1) e ON true
  LEFT JOIN LATERAL (
        SELECT r.key FROM ledger.occurrence r
         WHERE r.tenant = t.tenant AND r.task = t.task AND r.state = 'running' LIMIT 1) r ON true
 WHERE t.tenant = %(tenant)s AND t.task = %(task)s
