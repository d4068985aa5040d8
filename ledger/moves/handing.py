"""Handing runs over to another machine: by webhook, or through a broker.

A run is noted as handed over before the first byte of it is sent. So one that is not noted was never sent,
and when its process is gone another may hand it over under the same key (I7); one that is noted and not
answered is lost with its process. One that the other machine has taken on is nobody's: its finish closes it,
or its deadline.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from ledger.moves.presence import fence
from ledger.moves.step import Move, ask
from ledger.statements.handing import NOTE_HANDED, RELEASE_RUNS, TAKE_UNHANDED


def note_handed(tenant: str, keys: Collection[UUID], lives: Collection[int]) -> Move[frozenset[UUID]]:
    """Note that runs of one tenant are about to be sent; only those in the answer may be.

    `lives` are the incarnations of the process that asks: it may have registered again meanwhile.
    """
    rows = yield from ask(NOTE_HANDED(tenant=tenant, keys=list(keys), lives=list(lives)))
    return frozenset(row.key for row in rows)


def release(tenant: str, keys: Collection[UUID], lives: Collection[int]) -> Move[frozenset[UUID]]:
    """Let go of runs of one tenant that another machine has taken on; they are never lost with a process."""
    rows = yield from ask(RELEASE_RUNS(tenant=tenant, keys=list(keys), lives=list(lives)))
    return frozenset(row.key for row in rows)


def take_unhanded(tenant: str, gone: int, new: int, keys: Collection[UUID]) -> Move[frozenset[UUID]]:
    """Claim over what an absent incarnation had not handed over; nothing if it is there again."""
    found = yield from ask(fence(gone, held=True))
    if found and found[0].present and found[0].expelled is None:
        return frozenset()
    rows = yield from ask(TAKE_UNHANDED(tenant=tenant, old=gone, new=new, keys=list(keys)))
    return frozenset(row.key for row in rows)
