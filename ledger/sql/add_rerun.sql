-- Takes the id of a rerun; who comes second waits for the first, and reads what that made.
-- Promises: I15. Parameters: tenant, request, at_once, wanted (JSON), by. Index: rerun_pkey (the named target).
-- Zero rows: the request was made before.
INSERT INTO ledger.rerun (tenant, request, at_once, wanted, at, by)
VALUES (%(tenant)s, %(request)s, %(at_once)s, %(wanted)s::jsonb, now(), %(by)s)
    ON CONFLICT (tenant, request) DO NOTHING
RETURNING request
