"""Nothing is projected under another release than the database's (I20)."""

from __future__ import annotations

from typing import TypeVar

from ledger.moves.presence import InForce, pass_fence
from ledger.moves.step import Move, ask
from ledger.statements.presence import Fence
from ledger.statements.sweep import READ_SETTINGS

R = TypeVar("R")


def under(own: InForce, move: Move[R]) -> Move[R]:
    """A move that changes the ledger, done only if the release in force is this process's own.

    Raises `Misconfigured`, naming each number that differs, and what the move raises.
    """
    found = yield from ask(READ_SETTINGS())
    pass_fence([Fence(True, True, *settings[:5]) for settings in found], 0, own)
    return (yield from move)
