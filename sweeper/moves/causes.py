"""What stopped a part of a pass: a word for it that programs can tell, and whether the rest goes on."""

from __future__ import annotations

from typing import TypeVar

from ledger.errors import Busy, OutcomeUnknown, Unreachable
from ledger.moves.step import Move, within_savepoint

R = TypeVar("R")

# What Postgres calls a lock that did not come, two that wait for each other, and a statement out of time.
_BUSY = {"55P03": "lock", "40P01": "lock", "40001": "lock", "57014": "time"}


def cause_of(error: BaseException) -> str:
    """`lock`, `time`, `room`, `connection` or `error`: the database's own code tells the first three."""
    if isinstance(error, Unreachable | OutcomeUnknown):
        return "connection"
    code = getattr(error.__cause__, "sqlstate", None)
    if isinstance(error, Busy) and isinstance(code, str):
        return "room" if code.startswith("53") else _BUSY.get(code, "error")
    return "error"


class Attempt:
    """A part of a move within a savepoint, and whether what it raised was the part's own.

    Only then does the transaction go on: an error of the savepoint itself leaves nothing to go back to.
    """

    def __init__(self) -> None:
        self._raised: Exception | None = None

    def run(self, move: Move[R]) -> Move[R]:
        return within_savepoint(self._noted(move))

    def own(self, error: Exception) -> bool:
        return error is self._raised

    def _noted(self, move: Move[R]) -> Move[R]:
        try:
            return (yield from move)
        except Exception as error:
            self._raised = error
            raise
