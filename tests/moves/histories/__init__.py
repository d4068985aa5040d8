"""Random histories of the ledger, each act foretold by a model that knows nothing of the product's code."""
