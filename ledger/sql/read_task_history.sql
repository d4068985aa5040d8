-- Reads rows of one task that run or are closed, latest slot first, a page at a time. The rows of its series stand in the
-- index in that order, so of these no more are read than the page takes; those of its other lanes are few.
-- Parameters: tenant, task; states: array; agent, labels (a JSON object), since, until: each null where it is not asked for, a
-- span of slots without its end; due, key: the last row of the page before; n. Index: one_slot, by task and lane;
-- definition_pkey, where labels are asked for. Zero rows: nothing that is asked for lies before that row.
SELECT o.key, o.task, o.wake, o.lane, o.state, o.reason, o.due, o.run_at, o.blocked_by, o.retry_at, o.started, o.deadline,
       o.closed, o.closed_by, o.failures, o.result, o.error, o.crumb, o.digest
  FROM ((SELECT s.* FROM ledger.occurrence s
          WHERE s.tenant = %(tenant)s AND s.task = %(task)s AND s.lane = 'series'
            AND s.state NOT IN ('pending', 'retired', 'ended') AND s.state = ANY (%(states)b::text[])
            AND s.due >= coalesce(%(since)s::timestamptz, '-infinity') AND s.due < coalesce(%(until)s::timestamptz, 'infinity')
            AND s.due <= %(due)s AND (s.due, s.key) < (%(due)s, %(key)s)
            AND (%(agent)s::text IS NULL OR s.agent = %(agent)s)
            AND (%(labels)s::jsonb IS NULL OR EXISTS (
                 SELECT FROM ledger.definition d
                  WHERE d.tenant = s.tenant AND d.digest = s.digest AND d.canonical::jsonb -> 'labels' @> %(labels)s))
          ORDER BY s.due DESC
          LIMIT %(n)s)
         UNION ALL
        (SELECT b.* FROM ledger.occurrence b
          WHERE b.tenant = %(tenant)s AND b.task = %(task)s AND b.lane < 'series'
            AND b.state NOT IN ('pending', 'retired', 'ended') AND b.state = ANY (%(states)b::text[])
            AND b.due >= coalesce(%(since)s::timestamptz, '-infinity') AND b.due < coalesce(%(until)s::timestamptz, 'infinity')
            AND b.due <= %(due)s AND (b.due, b.key) < (%(due)s, %(key)s)
            AND (%(agent)s::text IS NULL OR b.agent = %(agent)s)
            AND (%(labels)s::jsonb IS NULL OR EXISTS (
                 SELECT FROM ledger.definition d
                  WHERE d.tenant = b.tenant AND d.digest = b.digest AND d.canonical::jsonb -> 'labels' @> %(labels)s))
          ORDER BY b.due DESC, b.key DESC
          LIMIT %(n)s)) o
 ORDER BY o.due DESC, o.key DESC
 LIMIT %(n)s
