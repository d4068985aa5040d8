"""Short words for tests of hints: an hour at noon, a task on the hour, and what is open."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from ledger.moves.step import Move
from projector.moves.hint import Hinted, Wish, hint
from tests.moves.acting import TENANT, claim_all, finished
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
HOURLY: dict[str, object] = {"every_s": 3600}


class Open(NamedTuple):
    """The open row of a series, and what put it there."""

    due: datetime
    wake: object
    source: object
    won: object


def asked(stage: Stage, move: Move[Hinted]) -> Hinted:
    return stage.run(move, "tenant", TENANT)


def every(minutes: int, lasts: timedelta = 4 * HOUR, task: str = "a") -> Move[Hinted]:
    return hint(TENANT, task, Wish(minutes * MINUTE, None, lasts), "anna", "because")


def once(later: timedelta) -> Move[Hinted]:
    return hint(TENANT, "a", Wish(None, NOON + later, 4 * HOUR), "anna")


def open_row(stage: Stage, task: str = "a") -> Open:
    ((due, wake, source, won),) = stage.ask(
        "SELECT due, wake, source, trail ->> 'won' FROM ledger.occurrence"
        " WHERE task = %s AND state = 'pending' AND lane = 'series'",
        [task],
    )
    assert isinstance(due, datetime)
    return Open(due, wake, source, won)


def hints(stage: Stage) -> list[tuple[object, ...]]:
    return stage.ask("SELECT kind, given, expires, consumed_by FROM ledger.hint ORDER BY kind")


def ran(stage: Stage, at: timedelta) -> UUID:
    """The row that starts then, finished a second later."""
    stage.at(NOON + at)
    (run,) = stage.run(claim_all()).started
    stage.run(finished(run.key), "tenant", TENANT)
    return run.key
