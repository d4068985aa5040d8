"""What a series does next, for the answers that people get."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ledger.moves.step import Move, ask
from ledger.statements.reads import READ_NEXT


@dataclass(frozen=True, slots=True)
class Follows:
    """The open slot of a series and its key; `ended` where no slot is left, neither where the task is off."""

    next: datetime | None = None
    key: UUID | None = None
    ended: bool = False


def follows(tenant: str, task: str) -> Move[Follows]:
    """Read, after a move's own writes, what the series of a task does next."""
    for row in (yield from ask(READ_NEXT(tenant=tenant, task=task))):
        return Follows(ended=True) if row.state == "ended" else Follows(row.due, row.key)
    return Follows()
