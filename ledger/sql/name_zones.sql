-- Reads each zone that a stored text of a range of tenants names, once: what a pass must be able to read. What looks like
-- a zone in a payload is among them; whoever finds one unreadable asks the tasks. Texts are split, which takes a tenth of
-- the time that a pattern takes to find the same.
-- Promises: I12. Parameters: first, last (tenants, both in it). Index: definition_pkey; for all tenants it is read whole.
-- Zero rows: no text names a zone.
SELECT n.zone
  FROM (SELECT DISTINCT split_part(p.rest, '"', 1) AS zone
          FROM ledger.definition d
         CROSS JOIN LATERAL unnest((string_to_array(d.canonical, '"timezone":"'))[2:]) AS p (rest)
         WHERE d.tenant >= %(first)s AND d.tenant <= %(last)s AND d.canonical LIKE '%%"timezone":"%%') n
 WHERE n.zone ~ '^[A-Za-z0-9_+/-]{1,64}$'
