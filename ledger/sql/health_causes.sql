-- Lists newest verdicts that are not green, or whose series fail in a row, longest first.
-- Promises: I13, I14. Parameters: tenant (null: all), n. Index: verdict (read once). Zero rows: all is green.
SELECT v.tenant, v.at, v.since, v.word, v.cause, v.detail, v.drill, v.repairs, v.watch
  FROM ledger.verdict v
 WHERE (v.word <> 'healthy' OR v.drill <> 'passed' OR v.watch <> '{}')
   AND (%(tenant)s::text IS NULL OR v.tenant = %(tenant)s)
 ORDER BY v.word = 'failed' DESC, v.drill = 'passed', v.since, v.tenant
 LIMIT %(n)s
