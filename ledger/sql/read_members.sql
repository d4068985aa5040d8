-- Reads the rows of a rerun as they stand, oldest slot first; one that was retired, or has left the hot rows, without a key.
-- Promises: I15. Parameters: tenant, request. Index: rerun_row_request; one_open and one_slot, whole, once for each row.
-- Zero rows: nothing was to be run once more.
SELECT i.task, i.due, i.lane, o.key, o.state, o.started
  FROM ledger.rerun_row i
  LEFT JOIN LATERAL (
        SELECT p.key, p.state, p.started FROM ledger.occurrence p
         WHERE p.tenant = i.tenant AND p.task = i.task AND p.lane = i.lane AND p.state = 'pending'
         UNION ALL
        SELECT d.key, d.state, d.started FROM ledger.occurrence d
         WHERE d.tenant = i.tenant AND d.task = i.task AND d.lane = i.lane AND d.due = i.due
           AND d.state NOT IN ('pending', 'retired', 'ended')
         LIMIT 1) o ON true
 WHERE i.tenant = %(tenant)s AND i.request = %(request)s
 ORDER BY i.due, i.task
