-- Reads all that a row of the archive says, with the text that it was projected from and how its task stands now.
-- Promises: I1, I2. Parameters: tenant, key; low, high: the millisecond that the key says, both ends in it.
-- Index: archive_pkey, of one day; definition_pkey, task_pkey. Zero rows: no such key lies there.
SELECT o.key, o.tenant, o.delivery, o.wake, o.agent, o.destination, o.task, o.digest, o.due, o.fingerprint,
       o.key_version, o.lane, o.state, o.reason, o.run_at, o.blocked_by, o.retry_at, o.after, o.base, o.predecessor,
       o.source, o.trail, o.passed, o.failures, o.made_by, o.closed_by, o.incarnation, o.created, o.started, o.handed,
       o.deadline, o.closed, o.outcome, o.crumb, o.result, o.error, o.held_ms, o.history,
       d.canonical, t.enabled, t.digest AS digest_in_force
  FROM ledger.archive o
  LEFT JOIN ledger.definition d ON d.tenant = o.tenant AND d.digest = o.digest
  LEFT JOIN ledger.task t ON t.tenant = o.tenant AND t.task = o.task
 WHERE o.tenant = %(tenant)s AND o.key = %(key)s AND o.due >= %(low)s AND o.due <= %(high)s
