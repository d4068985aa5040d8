-- Reads why open rows stand where they do: the source of each, the hint that put it there, and the moment of the look.
-- Promises: I9, I10. Parameters: tenant; keys: array. Index: occurrence_pkey. Fewer rows than asked: those have gone.
SELECT o.key, o.source, o.trail ->> 'won' AS won, now() AS moment
  FROM unnest(%(keys)b::uuid[]) AS k (key)
  JOIN ledger.occurrence o ON o.key = k.key AND o.tenant = %(tenant)s
