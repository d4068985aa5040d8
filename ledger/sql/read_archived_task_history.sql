-- Reads closed rows of one task in the archive, latest slot first, of a span of days.
-- Parameters: tenant, task; states: array; agent, labels, since, until, due, key, n: as in read_task_history; low, high: the
-- span, both ends in it. Index: archive_task of those days, by task; definition_pkey, where labels are asked for.
-- Zero rows: nothing that is asked for lies there before that row.
SELECT o.key, o.task, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.blocked_by, o.retry_at, o.started, o.deadline,
       o.closed, o.closed_by, o.failures, o.result, o.error, o.crumb, o.digest
  FROM ledger.archive o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.state = ANY (%(states)b::text[])
   AND o.due >= coalesce(%(since)s::timestamptz, '-infinity') AND o.due < coalesce(%(until)s::timestamptz, 'infinity')
   AND o.due >= %(low)s AND o.due <= %(high)s AND (o.due, o.key) < (%(due)s, %(key)s)
   AND (%(agent)s::text IS NULL OR o.agent = %(agent)s)
   AND (%(labels)s::jsonb IS NULL OR o.digest IN (
        SELECT d.digest FROM ledger.definition d
         WHERE d.tenant = %(tenant)s AND d.canonical::jsonb -> 'labels' @> %(labels)s))
 ORDER BY o.due DESC, o.key DESC
 LIMIT %(n)s
