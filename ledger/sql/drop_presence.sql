-- Lets go of the lock of an incarnation. Parameters: presence (the class of the locks), id.
-- One row; false: this session did not hold it.
SELECT pg_advisory_unlock(%(presence)s::integer, %(id)s::integer) AS dropped
