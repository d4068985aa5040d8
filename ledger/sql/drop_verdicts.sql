-- Deletes what the log of verdicts holds from before the kept time, oldest first, at most n entries at once.
-- Promises: I14. Parameters: kept (an interval), n. Index: verdict_log_pkey, from its beginning.
-- Fewer rows than n: nothing older is left.
DELETE FROM ledger.verdict_log l
 USING (SELECT o.id FROM ledger.verdict_log o ORDER BY o.id LIMIT %(n)s::integer) oldest
 WHERE l.id = oldest.id AND l.at < now() - %(kept)s::interval
RETURNING l.id
