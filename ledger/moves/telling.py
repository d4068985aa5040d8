"""Closings that are told: what of them is written into the outbox, by the very move that closes.

Nothing is read for it, and a success without failures before it writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol
from uuid import UUID

from ledger.moves.step import Call
from ledger.moves.text import bounded
from ledger.statements.occurrences import RunRow
from ledger.statements.outbox import ADD_EVENTS, ADD_RECOVERED
from ledger.states import FAILED

# Characters of an error that are told; the whole of it stands in the row.
ERROR_MOST = 2_000
_RETRIED = ("retry:", "rerun:")


class Said(Protocol):
    """What is said of one run."""

    @property
    def state(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def error(self) -> str | None: ...


class Named(Protocol):
    """A run, by its key."""

    @property
    def tenant(self) -> str: ...
    @property
    def key(self) -> UUID: ...


def told(
    rows: Sequence[RunRow], said: Sequence[Said], failures: Sequence[int], retries: Collection[UUID]
) -> list[Call[object]]:
    """What is to be sent behind the closing of runs, in one turn with it: nothing where all simply succeeded.

    `said` is what the rows are closed with, `failures` with it; `retries` are the keys of the rows that are
    tried again.
    """
    calls: list[Call[object]] = []
    bad = [n for n, one in enumerate(said) if one.state in FAILED]
    if bad:
        calls.append(
            ADD_EVENTS(
                keys=[rows[n].key for n in bad],
                tenants=[rows[n].tenant for n in bad],
                tasks=[rows[n].task for n in bad],
                kinds=[said[n].state for n in bad],
                wakes=[rows[n].wake for n in bad],
                dues=[rows[n].due for n in bad],
                reasons=[said[n].reason for n in bad],
                errors=[bounded((said[n].error or "")[:ERROR_MOST]) or None for n in bad],
                failures=[failures[n] for n in bad],
                retries=[rows[n].key in retries for n in bad],
            )
        )
    # Whether a success is the first after failures its row says, once it is closed; these alone may be.
    maybe = [
        row
        for row, one in zip(rows, said, strict=True)
        if one.state == "succeeded" and (row.failures or row.wake.startswith(_RETRIED))
    ]
    if maybe:
        calls.append(recovered(maybe))
    return calls


def recovered(runs: Sequence[Named]) -> Call[object]:
    """Tell of successes whose rows say that they are the first after failures."""
    return ADD_RECOVERED(keys=[run.key for run in runs], tenants=[run.tenant for run in runs])
