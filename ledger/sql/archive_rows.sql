-- Moves rows to the archive: what leaves the one table enters the other in this statement, so no row is ever in both or in
-- neither. Rows that somebody holds stay for another time. The tables have the same columns in the same order; a test
-- holds them to it. Where a request has gone is kept beside.
-- Promises: I2, I15. Parameters: keys, tenants: arrays of one length. Index: occurrence_pkey; archive_pkey raises where a
-- key lies there already. One row: how many moved.
WITH held AS MATERIALIZED (
    SELECT o.key, o.tenant
      FROM unnest(%(keys)b::uuid[], %(tenants)b::text[]) AS k (key, tenant)
      JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = k.tenant
     WHERE o.state NOT IN ('pending', 'running', 'ended')
     ORDER BY o.key
       FOR UPDATE OF o SKIP LOCKED
), gone AS (
    DELETE FROM ledger.occurrence o USING held
     WHERE o.key = held.key AND o.tenant = held.tenant
    RETURNING o.*
), kept AS (
    INSERT INTO ledger.archive SELECT gone.* FROM gone RETURNING 1
), requested AS (
    INSERT INTO ledger.archived_request (tenant, task, wake, key, state, due)
    SELECT g.tenant, g.task, g.wake, g.key, g.state, g.due FROM gone g WHERE g.wake LIKE 'manual:%%'
)
SELECT count(*)::integer AS moved FROM kept
