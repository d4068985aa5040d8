-- Asks to be told when an act has opened a row, perhaps an earlier one than all others. No parameters. Answers no rows.
LISTEN ledger_act
