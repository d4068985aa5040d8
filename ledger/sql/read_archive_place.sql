-- Reads where the newest pass that has closed left off looking at old rows, its time being up.
-- No parameters. Index: pass_pkey, backwards. Zero rows: none has closed; null: it came to the end.
SELECT (p.report #>> '{archive,goes_on,0}')::uuid AS key, p.report #>> '{archive,goes_on,1}' AS tenant
  FROM ledger.pass p
 WHERE p.closed IS NOT NULL AND NOT p.report ? 'tenant'
 ORDER BY p.id DESC
 LIMIT 1
