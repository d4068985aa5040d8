-- Reads settings of the server by their names, as text, and whether a restart is still to put one in force.
-- Parameters: names: array. Index: none of ours. A setting that this server does not know has no row.
SELECT s.name, s.setting AS value, s.pending_restart
  FROM pg_catalog.pg_settings s
 WHERE s.name = ANY (%(names)b::text[])
 ORDER BY s.name
