-- Reads the open series row that the repair has made in a drill, as the ledger holds it.
-- Promises: I13. Parameters: tenant, task. Index: one_open. Zero rows: the repair made none.
SELECT o.key, o.run_at, clock_timestamp() AS moment FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.task = %(task)s AND o.lane = 'series' AND o.state = 'pending'
