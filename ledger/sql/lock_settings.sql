-- Waits until every transaction that has read the settings is over, and lets nobody read them before this one is: who
-- has read what was in force has committed by then, and who reads next reads what is in force from now on.
-- Promises: I20. No parameters. Answers no rows.
LOCK TABLE ledger.settings IN ACCESS EXCLUSIVE MODE
