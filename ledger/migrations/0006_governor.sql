-- Whoever starts a run marks the one-shot that it ran for as consumed, and changes nothing else about hints.
GRANT UPDATE (consumed_by) ON ledger.hint TO ledger_dispatcher;
CREATE POLICY consume ON ledger.hint FOR UPDATE TO ledger_dispatcher USING (true) WITH CHECK (consumed_by IS NOT NULL);

-- Few rows a page: renewals stay on theirs, and however few hints there are a task's are found by the index, not by a walk.
ALTER TABLE ledger.hint SET (fillfactor = 10);
