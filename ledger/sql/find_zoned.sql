-- Finds tasks, on or off, whose schedules name a zone: the first few, and how many there are.
-- Promises: I20. Parameters: n. Index: definition_pkey; it reads the tasks of everybody, once when zones are kept out.
-- Zero rows: no task names one.
SELECT t.tenant, t.task,
       jsonb_path_query_first(d.canonical::jsonb, '$.schedule.**.timezone') #>> '{}' AS zone, count(*) OVER () AS found
  FROM ledger.task t
  JOIN ledger.definition d ON d.tenant = t.tenant AND d.digest = t.digest
 WHERE d.canonical LIKE '%%"timezone":"%%' AND jsonb_path_exists(d.canonical::jsonb, '$.schedule.**.timezone')
 ORDER BY t.tenant, t.task
 LIMIT %(n)s
