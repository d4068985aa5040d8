"""What `ledger preview` says of a schedule."""
