"""The drill: proof, in every tenant's pass, that the repair would have worked (I13).

Within a savepoint that is rolled back an open row is taken away, the very code of the repair runs, and what
it made is compared with what was there. So a healthy pass can say: I looked, and I could have repaired.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias
from uuid import UUID

from ledger.authored.fold import fold
from ledger.errors import Busy, LedgerError, OutcomeUnknown, Unreachable
from ledger.facts import instant_text
from ledger.moves.adopt import Subject
from ledger.moves.definitions import parse
from ledger.moves.step import Move, ask, within_savepoint
from ledger.release import RELEASE
from ledger.statements.sweep import DROP_OPEN, PICK_DRILL, PLANT_CANARY, READ_DRILLED
from sweeper.moves.mend import mend

Word: TypeAlias = Literal["passed", "failed", "could not try"]

# The canary's one slot, in the last year of all series: nothing of it could ever become due.
_SLOT = datetime(2199, 6, 1, tzinfo=UTC)
_CANARY = fold({"entrypoint": "canary", "schedule": {"at": instant_text(_SLOT)}})


@dataclass(frozen=True, slots=True)
class Drill:
    """How a drill went. `task` is the one drilled with, None for the canary; `ms` the database's time."""

    word: Word
    ms: float | None = None
    task: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class _Hole:
    """What was taken away, and so what the repair must make."""

    task: str
    key: UUID
    run_at: datetime
    began: datetime
    canary: bool


class _NoTrial(Exception):
    """There was nothing that could be taken away."""


def drill(tenant: str, turn: str, without: Collection[str] = ()) -> Move[Drill]:
    """Drill with the first free row after the task `turn`, or with a canary; leaves no trace.

    Tasks in `without` are passed by: their rules cannot be read, and that is no fault of the repair.

    Raises `Busy` where a lock does not come in time, and whatever says that the connection is lost.
    """
    try:
        return (yield from within_savepoint(_trial(tenant, turn, list(without)), keep=False))
    except _NoTrial as nothing:
        return Drill("could not try", detail=str(nothing))
    except (Busy, Unreachable, OutcomeUnknown):
        raise
    except Exception as error:  # noqa: BLE001 - whatever stops the repair is what the drill is there to find
        return Drill("failed", detail=f"the repair raised {type(error).__name__}: {error}")


def _trial(tenant: str, turn: str, without: list[str]) -> Move[Drill]:
    try:
        hole = yield from _dig(tenant, turn, without)
    except (Busy, Unreachable, OutcomeUnknown):
        raise
    except LedgerError as error:
        raise _NoTrial(f"no row could be taken away: {error}") from error
    mended = yield from mend(tenant, [hole.task], {})
    found = yield from ask(READ_DRILLED(tenant=tenant, task=hole.task))
    task = None if hole.canary else hole.task
    if not found:
        saw = "did not see the hole" if not mended.repairs["missing"] else "opened no row"
        return Drill("failed", task=task, detail=f"task {hole.task!r}: the repair {saw}")
    (made,) = found
    if (made.key, made.run_at) != (hole.key, hole.run_at):
        return Drill(
            "failed",
            task=task,
            detail=f"task {hole.task!r}: the repair made key {made.key} at {instant_text(made.run_at)}, "
            f"where {hole.key} at {instant_text(hole.run_at)} was taken away",
        )
    return Drill("passed", (made.moment - hole.began) / timedelta(milliseconds=1), task)


def _dig(tenant: str, turn: str, without: list[str]) -> Move[_Hole]:
    """Take away a free row, or make the canary, whose row is missing from the start."""
    picked = yield from ask(PICK_DRILL(tenant=tenant, turn=turn, without=without))
    if not picked and turn:
        picked = yield from ask(PICK_DRILL(tenant=tenant, turn="", without=without))
    for row in picked:
        if not (yield from ask(DROP_OPEN(tenant=tenant, key=row.key))):
            raise _NoTrial(f"the open row {row.key} of task {row.task!r} could not be taken away")
        return _Hole(row.task, row.key, row.run_at, row.moment, canary=False)
    planted = yield from ask(
        PLANT_CANARY(
            tenant=tenant,
            digest=_CANARY.digest,
            version=RELEASE.digest_version,
            canonical=_CANARY.canonical,
        )
    )
    (canary,) = planted
    subject = Subject(tenant, canary.task, _CANARY.digest, parse(_CANARY.canonical))
    return _Hole(canary.task, subject.row("schedule", _SLOT).key, _SLOT, canary.moment, canary=True)
