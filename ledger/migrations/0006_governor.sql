-- Whoever starts a run marks the one-shot that it ran for as consumed, and changes nothing else about hints.
GRANT UPDATE (consumed_by) ON ledger.hint TO ledger_dispatcher;
CREATE POLICY consume ON ledger.hint FOR UPDATE TO ledger_dispatcher USING (true) WITH CHECK (consumed_by IS NOT NULL);
