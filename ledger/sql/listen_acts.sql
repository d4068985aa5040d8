-- Asks to be told when an act has opened a row, perhaps an earlier one than all others. No parameters.
LISTEN ledger_act
