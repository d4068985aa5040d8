-- Hints to listening dispatchers that an act has opened a row, perhaps an earlier one; never needed (they tick).
-- Only people's acts tell: a commit that notifies takes a lock of the whole server, which a start or a finish must not.
-- No parameters. Answers no rows.
NOTIFY ledger_act
