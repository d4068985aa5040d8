-- Lets go of the lock of an incarnation. Parameters: presence (the class of the locks), id.
SELECT pg_advisory_unlock(%(presence)s::integer, %(id)s::integer) AS dropped
