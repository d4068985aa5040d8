-- Reads rows that are asked for by their keys, wherever they are.
-- Parameters: tenant; keys: array. Index: occurrence_pkey, archive_pkey. Fewer rows than asked: no such keys.
SELECT o.key, o.task, o.state, o.wake, o.due FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.key = ANY (%(keys)b::uuid[])
 UNION ALL
SELECT a.key, a.task, a.state, a.wake, a.due FROM ledger.archive a
 WHERE a.tenant = %(tenant)s AND a.key = ANY (%(keys)b::uuid[])
