"""From where tests of moves begin: tasks whose slot has come, or runs."""

from __future__ import annotations

from datetime import timedelta

from ledger.driver.transaction import Scope
from tests.moves.acting import TENANT, claim_all, defined, folded
from tests.moves.stage import Stage, instant

TASK = "a"
NOON = instant("2026-06-01 12:00")
PERSON = Scope("tenant", TENANT)
MACHINE = Scope("dispatcher")
SWEEP = Scope("sweeper")

OLD = folded("old", retry={"attempts": 3, "on": ["failed", "timed_out", "lost"]})
NEW = folded("new", retry={"attempts": 3, "on": ["failed", "timed_out", "lost"]})
# Slots of its own, none of which the old rule holds.
SHIFTED = folded("shifted", {"every_s": 60, "anchor": "1970-01-01T00:00:30.000000Z"})


def due(stage: Stage, *tasks: str) -> None:
    """Tasks whose first slot has come."""
    stage.at(NOON)
    for task in tasks or (TASK,):
        defined(stage, task, OLD if task == TASK else folded(task, entrypoint=task))
    stage.at(NOON + timedelta(seconds=75))


def running(stage: Stage) -> None:
    """A task whose first slot runs; the deadline of its run has passed."""
    due(stage)
    stage.run(claim_all())
    stage.at(NOON + timedelta(hours=1))
