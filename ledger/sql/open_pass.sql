-- Opens a pass. It stands unclosed until it has accounted for every tenant; one that dies stays so, and health says it.
-- Promises: I13, I14. Parameters: by, period_s, tenant (null: all). Index: pass_pkey. One row.
INSERT INTO ledger.pass (began, by, period_s, report)
VALUES (clock_timestamp(), %(by)s, %(period_s)s::integer,
        jsonb_strip_nulls(jsonb_build_object('tenant', %(tenant)s::text, 'session', pg_backend_pid())))
RETURNING id, began
