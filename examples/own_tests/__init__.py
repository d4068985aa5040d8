"""How a program on the ledger tests itself: copy `conftest.py`, and write tests as in `test_dunning.py`."""
