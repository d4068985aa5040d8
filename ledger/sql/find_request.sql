-- Finds the row of a request to run now, under the lock of its task.
-- Promises: I15. Parameters: tenant, task, wake. Index: one_request. Zero rows: the request is new.
SELECT o.key, o.state, o.due FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.wake = %(wake)s AND o.wake LIKE 'manual:%%'
