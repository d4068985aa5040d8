-- Deletes passes from before the kept time, oldest first, at most n at once.
-- Promises: I14. Parameters: kept (an interval), n. Index: pass_pkey, from its beginning.
-- Fewer rows than n: nothing older is left.
DELETE FROM ledger.pass p
 USING (SELECT o.id FROM ledger.pass o ORDER BY o.id LIMIT %(n)s::integer) oldest
 WHERE p.id = oldest.id AND p.began < now() - %(kept)s::interval
RETURNING p.id
