"""Rows as a process of another release of tzdata left them: their instants are not those of this one's rules.

The task is due at nine where the clock is seven hours behind: 16:00 in UTC. What the other release thought of
that zone is in the row that it left: nobody has its rules any more.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from ledger.moves.adopt import Origin, Subject, adopt
from ledger.moves.definitions import parse
from tests.moves.acting import TENANT, claim_all, defined, finished, folded
from tests.moves.stage import Stage, instant

TASK = "a"
NINE = {"cron": "0 9 * * *", "timezone": "Etc/GMT+7"}
TEXT = folded(schedule=NINE)
EDITED = folded("edited", schedule=NINE)
OTHER = "1999.1"


def at(text: str) -> datetime:
    """A day and time of June 2026, as `01 16:00`."""
    return instant(f"2026-06-{text}")


def left_behind(
    stage: Stage, due: datetime, after: datetime, base: datetime, predecessor: UUID | None = None
) -> UUID:
    """Put the row of the other release in the place of the open one, as that release had derived it."""
    subject = Subject(TENANT, TASK, TEXT.digest, parse(TEXT.canonical))
    stage.ask("DELETE FROM ledger.occurrence WHERE state IN ('pending', 'ended')")
    row = subject.row("schedule", due, origin=Origin(after, base, predecessor, "baseline-cron"))
    stage.run(adopt([row], "define", stage.now), "tenant", TENANT)
    stage.ask("UPDATE ledger.occurrence SET tzdata = %s WHERE key = %s", [OTHER, row.key])
    return row.key


def opened(stage: Stage, defined_at: datetime, due: datetime) -> UUID:
    """A task defined then; the other release opened this slot."""
    stage.at(defined_at)
    defined(stage, TASK, TEXT)
    return left_behind(stage, due, defined_at, defined_at)


def ran(stage: Stage, first: datetime, then: datetime) -> UUID:
    """The other release ran a slot, and opened this one after it."""
    before = opened(stage, first - timedelta(hours=1), first)
    stage.at(first)
    stage.run(claim_all())
    stage.run(finished(before), "tenant", TENANT)
    return left_behind(stage, then, first, first, before)
