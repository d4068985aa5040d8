"""Programs that run: the ledger inside the data layers that platforms have."""
