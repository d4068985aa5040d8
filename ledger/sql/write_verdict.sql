-- Writes a tenant's newest verdict, and logs it where the word changes or is not `healthy`.
-- Promises: I13, I14. Parameters: tenant, pass, word, cause, detail, checked, open, ended, repairs, watch, drill, drill_ms,
-- drill_task, untried. Index: verdict_pkey. One row.
WITH before AS (
    SELECT v.word FROM ledger.verdict v WHERE v.tenant = %(tenant)s
), written AS (
    INSERT INTO ledger.verdict AS v (tenant, pass, at, since, word, cause, detail, checked, open, ended, repairs, watch,
                                     drill, drill_ms, drill_task, untried)
    VALUES (%(tenant)s, %(pass)s, clock_timestamp(), clock_timestamp(), %(word)s, %(cause)s, %(detail)s, %(checked)s::integer,
            %(open)s::integer, %(ended)s::integer, %(repairs)s::text::jsonb, %(watch)s::text::jsonb, %(drill)s,
            %(drill_ms)s::double precision, %(drill_task)s, %(untried)s::integer)
        ON CONFLICT (tenant) DO UPDATE
           SET pass = excluded.pass, at = excluded.at, since = CASE WHEN v.word = excluded.word THEN v.since ELSE excluded.at END,
               word = excluded.word, cause = excluded.cause, detail = excluded.detail, checked = excluded.checked,
               open = excluded.open, ended = excluded.ended, repairs = excluded.repairs, watch = excluded.watch,
               drill = excluded.drill, drill_ms = excluded.drill_ms, drill_task = excluded.drill_task, untried = excluded.untried
    RETURNING v.tenant, v.pass, v.at, v.since, v.word, v.cause, v.detail, v.repairs, v.drill
), logged AS (
    INSERT INTO ledger.verdict_log (tenant, pass, at, word, cause, detail, repairs, drill)
    SELECT w.tenant, w.pass, w.at, w.word, w.cause, w.detail, w.repairs, w.drill
      FROM written w LEFT JOIN before b ON true
     WHERE w.word <> 'healthy' OR b.word IS DISTINCT FROM w.word
)
SELECT w.at, w.since FROM written w
