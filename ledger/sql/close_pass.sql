-- Closes a pass with totals that add up; the table refuses others.
-- Promises: I13. Parameters: id, expected, healthy, repaired, failed, rows_made, report. Index: pass_pkey.
-- Zero rows: it was closed already.
UPDATE ledger.pass p
   SET closed = clock_timestamp(), expected = %(expected)s::integer, healthy = %(healthy)s::integer,
       repaired = %(repaired)s::integer, failed = %(failed)s::integer, rows_made = %(rows_made)s::integer,
       report = p.report || %(report)s::text::jsonb
 WHERE p.id = %(id)s AND p.closed IS NULL
RETURNING p.began, p.closed
