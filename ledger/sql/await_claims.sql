-- Waits until no claim of an incarnation is under way any more, one whose COMMIT was never answered included.
-- Parameters: claims (the class of the locks), id. Answers one row.
SELECT pg_advisory_xact_lock(%(claims)s::integer, %(id)s::integer)::text AS waited
