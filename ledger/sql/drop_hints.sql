-- Takes back hints of tasks, by their kinds.
-- Promises: I10. Parameters: tenant; tasks, kinds: arrays. Index: hint_pkey. Zero rows: none was given.
DELETE FROM ledger.hint h
 USING unnest(%(tasks)b::text[]) AS k (task)
 WHERE h.tenant = %(tenant)s AND h.task = k.task AND h.kind = ANY (%(kinds)b::text[])
RETURNING h.task, h.kind, h.consumed_by IS NULL AND h.expires > clock_timestamp() AS stood
