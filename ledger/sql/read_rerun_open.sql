-- Reads what is open or runs of a rerun: its rows, and the retries of their runs. The tasks are held.
-- Promises: I6. Parameters: tenant, request. Index: rerun_row_request; one_open and one_running, by task, once for each row.
-- Zero rows: nothing of it is open.
SELECT DISTINCT o.key, o.task, o.state, o.wake, o.due
  FROM ledger.rerun_row i
 CROSS JOIN LATERAL (
        SELECT p.key, p.task, p.state, p.wake, p.due FROM ledger.occurrence p
         WHERE p.tenant = i.tenant AND p.task = i.task AND p.state = 'pending' AND p.due = i.due AND p.wake LIKE 'rerun:%%'
         UNION ALL
        SELECT r.key, r.task, r.state, r.wake, r.due FROM ledger.occurrence r
         WHERE r.tenant = i.tenant AND r.task = i.task AND r.state = 'running' AND r.due = i.due AND r.wake LIKE 'rerun:%%') o
 WHERE i.tenant = %(tenant)s AND i.request = %(request)s
