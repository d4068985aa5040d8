-- Reads rows that are asked for by their keys, of the hot ones.
-- Parameters: tenant; keys: array. Index: occurrence_pkey. Fewer rows than asked: the others are in the archive, or nowhere.
SELECT o.key, o.task, o.state, o.wake, o.due FROM ledger.occurrence o
 WHERE o.tenant = %(tenant)s AND o.key = ANY (%(keys)b::uuid[])
