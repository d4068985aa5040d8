"""How pairs of moves over what is done again are set up; as `tests.moves.settings`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from ledger.moves.finding import Sought
from ledger.moves.step import Move
from projector.moves.backfill import backfill, cancel_backfill
from projector.moves.ranges import Range
from projector.moves.rerun import Wish, cancel_rerun, rerun
from projector.moves.start import start
from tests.moves.acting import TENANT, claim_all, define, defined, finished, folded, key_of
from tests.moves.scenarios import NOON, TASK
from tests.moves.settings import Maker, Makers, Setting
from tests.moves.stage import Stage

HOURLY: dict[str, object] = {"every_s": 3600}
RANGE = Range(TASK, "r", NOON - timedelta(hours=3), NOON)


def asked() -> Move[object]:
    return backfill(TENANT, RANGE, "anna")


def cancelled() -> Move[object]:
    return cancel_backfill(TENANT, TASK, "r", "anna")


def edit() -> Move[object]:
    return define(TASK, folded("new", HOURLY))


def asking_with(other: Maker) -> Setting:
    """A backfill is asked for while something else is done to its task."""

    def set_up(stage: Stage) -> Makers:
        hourly(stage)
        return asked, other

    return set_up


def starting_with(other: Maker) -> Setting:
    """A row of a backfill is started by its key while something else is done."""

    def set_up(stage: Stage) -> Makers:
        begin = going(stage)
        return begin, other

    return set_up


def going(stage: Stage) -> Callable[[], Move[object]]:
    """A backfill that goes on, and the start of its open row."""
    hourly(stage)
    stage.run(asked(), "tenant", TENANT)
    key = key_of(stage, TASK, wake="backfill:r")
    return lambda: start(TENANT, key)


def rerunning(stage: Stage) -> Callable[[], Move[object]]:
    """A slot of each of two tasks, to run once more, one at a time; the claim of what is due."""
    failed(stage)
    stage.run(again(), "tenant", TENANT)
    stage.at(stage.now + timedelta(seconds=1))
    return claim_all


def failed(stage: Stage) -> None:
    """Two tasks, the last slots of which have failed."""
    stage.at(NOON)
    for task in (TASK, "b"):
        defined(stage, task, folded(task, HOURLY, entrypoint=task, failure_backoff="none"))
    stage.at(NOON + timedelta(hours=1))
    for run in stage.run(claim_all()).started:
        stage.run(finished(run.key, "failed"))


def again() -> Move[object]:
    return rerun(TENANT, Wish("r", sought=Sought(states=["failed"])), "anna")


def again_over() -> Move[object]:
    return cancel_rerun(TENANT, "r", "anna")


def reruns(stage: Stage) -> Makers:
    failed(stage)
    return again, again


def hourly(stage: Stage) -> None:
    """A task that begins at noon, and three of whose slots lie before."""
    stage.at(NOON)
    defined(stage, TASK, folded("old", HOURLY))
