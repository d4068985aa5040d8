-- Takes open rows that are to be retired. Where the task is gone there is no row of it to hold, so a task defined anew
-- under its name would not wait for us: holding its open rows makes it wait, and what stands is read again after this.
-- Promises: I4. Parameters: tenant; keys: array. Index: occurrence_pkey. Fewer rows than asked: no longer open.
SELECT o.key, o.tenant
  FROM unnest(%(keys)b::uuid[]) AS k (key)
  JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = %(tenant)s
 WHERE o.state = 'pending'
 ORDER BY o.key
   FOR UPDATE OF o
