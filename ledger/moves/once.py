"""The last guard against doing something twice: a handler's own claim of its effect."""

from __future__ import annotations

from uuid import UUID

from ledger.errors import NotFound
from ledger.moves.step import Move, ask
from ledger.statements.once import CLAIM_ONCE


def claim_once(key: UUID, effect: str) -> Move[bool]:
    """Whether this transaction is the one that may have the effect. Raises `NotFound` for an unknown key."""
    (row,) = yield from ask(CLAIM_ONCE(key=key, effect=effect))
    if row.claimed is None:
        raise NotFound("claiming an effect: the ledger has no such key", key=str(key))
    return row.claimed
