-- Reads rows that run or are closed, latest slot first, a page at a time.
-- Parameters: tenant; states: array; agent, labels (a JSON object), since, until: each null where it is not asked for, a span
-- of slots without its end; due, key: the last row of the page before; n. Index: one_slot, by tenant; definition_pkey, by
-- tenant, once and only where labels are asked for. Zero rows: nothing that is asked for lies before that row.
SELECT o.key, o.task, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.blocked_by, o.retry_at, o.started, o.deadline,
       o.closed, o.closed_by, o.failures, o.result, o.error, o.crumb, o.digest
  FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.state NOT IN ('pending', 'retired', 'ended') AND o.state = ANY (%(states)b::text[])
   AND o.due >= coalesce(%(since)s::timestamptz, '-infinity') AND o.due < coalesce(%(until)s::timestamptz, 'infinity')
   AND o.due <= %(due)s AND (o.due, o.key) < (%(due)s, %(key)s)
   AND (%(agent)s::text IS NULL OR o.agent = %(agent)s)
   AND (%(labels)s::jsonb IS NULL OR o.digest IN (
        SELECT d.digest FROM ledger.definition d
         WHERE d.tenant = %(tenant)s AND d.canonical::jsonb -> 'labels' @> %(labels)s))
 ORDER BY o.due DESC, o.key DESC
 LIMIT %(n)s
