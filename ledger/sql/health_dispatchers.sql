-- Lists dispatchers that ticked within a day and have not stopped, freshest first; and, last, the newest tick of all.
-- Promises: I14. No parameters. Index: dispatcher, incarnation (a row for each life of a process).
-- The last row has no incarnation; its tick is null where none ever ran.
(SELECT d.incarnation, i.host, i.slot, d.state, d.why, d.tick
   FROM ledger.dispatcher d JOIN ledger.incarnation i ON i.id = d.incarnation
  WHERE i.ended IS NULL AND d.state <> 'stopped' AND d.tick > now() - interval '1 day'
  ORDER BY d.tick DESC
  LIMIT 200)
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, max(d.tick) FROM ledger.dispatcher d
