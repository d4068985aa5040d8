-- Gives a task a hint, or another in the place of the one of its kind. One that says the same as before, and still counts,
-- keeps the time at which it was first given: renewing a hint never moves what it asks for. A one-shot whose instant is no
-- later than the frontier (its row was skipped or cancelled) counts no more, and is given anew.
-- Promises: I10, I15. Parameters: tenant, task, kind, at, every, given, expires, by, note; frontier: of the series, or null. Index: hint_pkey (the named target).
-- One row.
INSERT INTO ledger.hint AS h (tenant, task, kind, at, every, given, expires, by, note)
VALUES (%(tenant)s, %(task)s, %(kind)s, %(at)s, %(every)s, %(given)s, %(expires)s, %(by)s, %(note)s)
    ON CONFLICT (tenant, task, kind) DO UPDATE
       SET at = excluded.at, every = excluded.every, expires = excluded.expires, by = excluded.by, note = excluded.note,
           consumed_by = NULL,
           given = CASE WHEN h.consumed_by IS NULL AND h.expires > excluded.given AND h.at IS NOT DISTINCT FROM excluded.at
                             AND h.every IS NOT DISTINCT FROM excluded.every
                             AND (h.at IS NULL OR coalesce(greatest(h.at, h.given) > %(frontier)s, true)) THEN h.given ELSE excluded.given END
RETURNING h.given, h.expires
