"""Vectors worked by hand: requests and answers written out, with nothing of the four packages asked.

Each table has what goes in and what was worked out: a preimage, a canonical text, an instant, the name of
a refusal. Only BLAKE3 is computed, by its own package, over the bytes that stand here.
"""
