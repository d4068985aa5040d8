-- Finds what became of a request to run now whose row lies in the archive, under the lock of its task.
-- Promises: I15. Parameters: tenant, task, wake. Index: archived_request_pkey. Zero rows: it is not there.
SELECT r.key, r.state, r.due FROM ledger.archived_request r
 WHERE r.tenant = %(tenant)s AND r.task = %(task)s AND r.wake = %(wake)s
