-- Reads the hints of tasks that are not consumed, whether they still count or not, under the locks of the tasks.
-- A statement of its own, after the one that takes the locks: what is decided next sees what was given meanwhile.
-- Promises: I4, I10. Parameters: tenants, tasks: arrays of one length. Index: hint_pkey, once for each task.
-- Zero rows: nobody gave any, which is the rule.
SELECT h.tenant, h.task, h.kind, h.given, h.expires, h.at, h.every
  FROM unnest(%(tenants)b::text[], %(tasks)b::text[]) AS k (tenant, task)
 CROSS JOIN LATERAL (
        SELECT i.tenant, i.task, i.kind, i.given, i.expires, i.at, i.every FROM ledger.hint i
         WHERE i.tenant = k.tenant AND i.task = k.task AND i.consumed_by IS NULL
         ORDER BY i.kind LIMIT 2) h
