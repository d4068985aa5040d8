-- I10, section 4: a version has no row of its series before the end of its pause.
SELECT o.tenant, o.task, o.key, o.wake, o.source, o.due
  FROM ledger.occurrence o
  JOIN ledger.definition d ON d.tenant = o.tenant AND d.digest = o.digest
 WHERE o.lane = 'series' AND o.due < (d.canonical::jsonb ->> 'paused_until')::timestamptz
