-- Whom a pass must look at once more though nothing of theirs is open: found by an index that holds only them, so that
-- tenants without tasks, however many once had a verdict, cost a pass nothing.
CREATE INDEX verdict_bad ON ledger.verdict (tenant) WHERE word = 'failed' OR drill <> 'passed';
