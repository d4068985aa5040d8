"""The statements of the ledger: a constant for each file of `ledger/sql`, beside the class of its rows."""
