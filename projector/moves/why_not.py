"""Why a task did not run at a time, or why it did: every minute has an answer (I10, I18)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ledger.errors import BadInput, NotFound
from ledger.facts import instant_text
from ledger.moves.archive import read_archived_minute
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.step import Batch, Move
from ledger.release import RELEASE
from ledger.statements.archive import READ_WINDOWS
from ledger.statements.why import READ_HOLD, READ_MINUTE, READ_REIGNS
from projector.moves.minutes import Answer, Minute, digests_of, tell

# Acts from a minute on, and rows of one minute, that a look takes in.
LOOK_MOST = 1_000
_SLOTS_CEASE = datetime.fromisoformat("2200-01-01T00:00:00+00:00")


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What became of each slot of a task in [`minute`, `until`), as it was known at `moment`.

    There is at least one answer: of a minute without a slot, why it has none. `ran` says whether a run of any
    of them has begun.
    """

    task: str
    minute: datetime
    until: datetime
    moment: datetime
    answers: Sequence[Answer]

    @property
    def ran(self) -> bool:
        return any(answer.word == "ran" for answer in self.answers)


def read_minute(time: datetime) -> datetime:
    """The minute that a time lies in. Raises `BadInput` for one past which no series goes on."""
    if time >= _SLOTS_CEASE:
        raise BadInput(f"time: {instant_text(time)} lies past {instant_text(_SLOTS_CEASE)}, where series end")
    return time.replace(second=0, microsecond=0)


def why_not(tenant: str, task: str, minute: datetime) -> Move[WhyNot]:
    """What became of the minute that begins at an instant. Raises `NotFound` for a task that never was."""
    until = minute + timedelta(minutes=1)
    span: dict[str, object] = {"tenant": tenant, "task": task, "low": minute, "n": LOOK_MOST}
    calls = (READ_REIGNS(**span), READ_MINUTE(high=until, **span), READ_HOLD(tenant=tenant), READ_WINDOWS())
    answers = yield Batch(calls)
    reigns, rows, holds = calls[0].read(answers[0]), calls[1].read(answers[1]), calls[2].read(answers[2])
    (windows,) = calls[3].read(answers[3])
    if not reigns:
        raise NotFound("the tenant has and had no such task", tenant=tenant, task=task)
    left = windows.moment - windows.hot
    if minute < left:
        rows = [*rows, *(yield from read_archived_minute(tenant, task, (minute, until, left), LOOK_MOST))]
    texts = yield from read_definitions([(tenant, digest) for digest in digests_of(reigns, rows)])
    known = Minute(
        start=minute,
        until=until,
        moment=reigns[0].moment,
        reigns=reigns,
        rows=rows,
        definitions={digest: parse(text) for (_, digest), text in texts.items()},
        hold=holds[0] if holds else None,
        zones=RELEASE.tzdata,
        kept_from=windows.kept_from,
    )
    return WhyNot(task, minute, until, known.moment, tell(known))
