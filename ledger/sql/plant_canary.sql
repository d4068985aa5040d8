-- Makes the canary task, within the savepoint of a drill: no transaction in which it still stands can commit.
-- Promises: I5, I13. Parameters: tenant, digest, version, canonical. One row.
SELECT ledger.plant_canary(%(tenant)s, %(digest)s, %(version)s::integer, %(canonical)s) AS task, clock_timestamp() AS moment
