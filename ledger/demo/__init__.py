"""The demo: the product at work for half a minute, in a database of its own, judged at the end.

It uses the product as its users do, by the names of `ledger` and by its commands; only the damage that it
does on purpose goes around them.
"""
