-- Says which session an open pass goes on in, after the one before was lost.
-- Promises: I14. Parameters: id. Index: pass_pkey. Zero rows: the pass is closed.
UPDATE ledger.pass p SET report = p.report || jsonb_build_object('session', pg_backend_pid())
 WHERE p.id = %(id)s AND p.closed IS NULL
RETURNING p.id, p.began
