"""Ending a presence by a person's decision: hung is not dead, so nobody else may say that it is."""

from __future__ import annotations

from ledger.errors import BadInput, NotFound, PresenceExpelled
from ledger.facts import shown
from ledger.moves.step import Move, ask
from ledger.statements.presence import EXPEL, READ_EXPELLED, Expelled

# Of a reason, as an incarnation's row keeps it.
WHY_MOST = 1000


def read_incarnation(incarnation: object) -> int:
    """The number of an incarnation. Raises `BadInput`."""
    if isinstance(incarnation, int) and not isinstance(incarnation, bool) and 0 < incarnation < 2**31:
        return incarnation
    raise BadInput(f"incarnation: {shown(incarnation)} is no number of one, such as health and history show")


def read_why(why: object) -> str:
    """Why a person ends a presence. Raises `BadInput`."""
    if isinstance(why, str) and 0 < len(why) <= WHY_MOST and why.isprintable():
        return why
    raise BadInput(f"why: write printable text of 1 to {WHY_MOST} characters; the row keeps it")


def expel(incarnation: int, by: str, why: str) -> Move[Expelled]:
    """Expel one life of a process: it starts nothing from then on, and others close its runs as lost.

    Expelled once, it stays so, by whoever was first (I15). Raises `NotFound` where no such life is there.
    """
    for row in (yield from ask(EXPEL(id=incarnation, by=by, why=why))):
        return row
    raise NotFound(
        f"expelling incarnation {incarnation}: there is none of that number, or it has ended; "
        "`ledger health --json` lists those that are there"
    )


def check_not_expelled(incarnation: int) -> Move[None]:
    """Raises `PresenceExpelled` where a person has ended this life: its runs are not to be claimed over."""
    for row in (yield from ask(READ_EXPELLED(id=incarnation))):
        raise PresenceExpelled(
            f"incarnation {incarnation} was {row.expelled}; its runs are closed by others, start it anew"
        )
