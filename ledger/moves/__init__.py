"""Moves that know nothing of the repeat rule: each is a generator, one transaction."""
