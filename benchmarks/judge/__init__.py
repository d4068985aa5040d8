"""The judge of a long run: from acts, schedules and what handlers wrote, whether each slot ran exactly once.

It imports nothing of what it judges. Slots come from an enumerator of its own, keys from their specification,
runs from files that the handlers wrote themselves; only acts and dispositions are read from the ledger, and
each of those must agree with what somebody else saw.
"""
