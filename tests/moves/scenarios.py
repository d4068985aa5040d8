"""The pairs of moves that meet, each from a state of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from ledger.driver.transaction import Scope
from ledger.moves.step import Move
from projector.moves.cancel import cancel
from projector.moves.request import run_now
from projector.moves.start import claim_row, start
from tests.moves.acting import (
    TENANT,
    claim_all,
    define,
    defined,
    finished,
    folded,
    key_of,
    overdue,
    repaired,
    switch,
)
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

Maker = Callable[[], Move[object]]
Makers = tuple[Maker, Maker]
Setting = Callable[[Stage], Makers]


@dataclass(frozen=True)
class Meeting:
    """Two moves that meet. `set_up` brings the database there and answers how each move is made, anew each
    time. A side that passes by what another holds (a claim) may find nothing while the other is at it."""

    set_up: Setting
    scopes: tuple[Scope, Scope]
    passes: tuple[bool, bool] = (False, False)
    # What a side that passes by may have looked at, and left as due as it was.
    looked: int = 0
    # Whether an outcome that is no serial one will do, as long as every promise holds: between the lanes of
    # one task no order is promised.
    loosely: bool = False
    # The one promise that is broken before they meet, where one of them is there to mend it.
    broken: str | None = None

    def begins_with(self, found: list[str]) -> None:
        assert {line.partition(":")[0] for line in found} == ({self.broken} if self.broken else set()), found


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


def _start_start(stage: Stage) -> Makers:
    due(stage)
    key = key_of(stage, TASK)
    return lambda: start(TENANT, key), lambda: start(TENANT, key)


def _claim_claim(stage: Stage) -> Makers:
    due(stage, TASK, "b")
    return claim_all, claim_all


def _claim_start(stage: Stage) -> Makers:
    due(stage)
    key = key_of(stage, TASK)
    return claim_all, lambda: start(TENANT, key)


def _claim_claim_row(stage: Stage) -> Makers:
    due(stage)
    key = key_of(stage, TASK)
    return claim_all, lambda: claim_row(TENANT, key, 8)


def _start_with(other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        key = key_of(stage, TASK)
        return (lambda: start(TENANT, key)), other

    return set_up


def _claim_with(other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        return claim_all, other

    return set_up


def _people(one: Maker, other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        return one, other

    return set_up


def _empty(one: Maker, other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        stage.at(NOON)
        return one, other

    return set_up


def _finish_with(how: str, other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        running(stage)
        key = key_of(stage, TASK, "running")
        return (lambda: finished(key, how)), other

    return set_up


def _finish_overdue(how: str) -> Setting:
    def set_up(stage: Stage) -> Makers:
        running(stage)
        key = key_of(stage, TASK, "running")
        return (lambda: finished(key, how)), (lambda: overdue(TASK, key))

    return set_up


def _missing(other: Maker) -> Setting:
    """A repair of a task whose open row has gone, against another move."""

    def set_up(stage: Stage) -> Makers:
        due(stage)
        stage.ask("DELETE FROM ledger.occurrence WHERE task = %s AND state = 'pending'", [TASK])
        return (lambda: repaired(TASK)), other

    return set_up


def _repair_start(stage: Stage) -> Makers:
    """A repair that finds nothing to do, against the start of the row it would make."""
    due(stage)
    key = key_of(stage, TASK)
    return (lambda: repaired(TASK)), (lambda: start(TENANT, key))


def _cancel_start(stage: Stage) -> Makers:
    due(stage)
    key = key_of(stage, TASK)
    return (lambda: cancel(TENANT, key, "a person")), (lambda: start(TENANT, key))


def _cancel_finish(how: str) -> Setting:
    def set_up(stage: Stage) -> Makers:
        running(stage)
        key = key_of(stage, TASK, "running")
        return (lambda: cancel(TENANT, key, "a person")), (lambda: finished(key, how))

    return set_up


def _cancel_with(other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        key = key_of(stage, TASK)
        return (lambda: cancel(TENANT, key, "a person")), other

    return set_up


def _wait_finish(how: str) -> Setting:
    """A request that is due while a run is in its way, against the end of that run."""

    def set_up(stage: Stage) -> Makers:
        due(stage)
        stage.run(claim_all())
        stage.run(run_now(TENANT, TASK, "r1", "a person"), "tenant", TENANT)
        key = key_of(stage, TASK, "running")
        return claim_all, (lambda: finished(key, how))

    return set_up


def _two_wait(stage: Stage) -> None:
    due(stage)
    stage.run(claim_all())
    for second, request in enumerate(("r1", "r2")):
        stage.at(NOON + timedelta(seconds=76 + second))
        stage.run(run_now(TENANT, TASK, request, "a person"), "tenant", TENANT)
    stage.run(claim_all())


def _waiting_cancelled(stage: Stage) -> Makers:
    """The oldest of two that wait is cancelled while the run in their way ends: the other must be freed."""
    _two_wait(stage)
    key = key_of(stage, TASK, "running")
    first = key_of(stage, TASK, wake="manual:r1")
    return (lambda: cancel(TENANT, first, "a person")), (lambda: finished(key))


def _waiting_edited(stage: Stage) -> Makers:
    _two_wait(stage)
    key = key_of(stage, TASK, "running")
    return (lambda: define(TASK, NEW)), (lambda: finished(key))


def _second_waits(stage: Stage) -> Makers:
    """One waits already, another begins to, and the run in their way ends."""
    due(stage)
    stage.run(claim_all())
    stage.run(run_now(TENANT, TASK, "r1", "a person"), "tenant", TENANT)
    stage.run(claim_all())
    stage.at(stage.now + timedelta(seconds=1))
    stage.run(run_now(TENANT, TASK, "r2", "a person"), "tenant", TENANT)
    key = key_of(stage, TASK, "running")
    return claim_all, (lambda: finished(key))


def _define() -> Move[object]:
    return define(TASK, OLD)


def _edit() -> Move[object]:
    return define(TASK, NEW)


def _edit_shifted() -> Move[object]:
    return define(TASK, SHIFTED)


def _off() -> Move[object]:
    return switch(TASK, "disable")


def _gone() -> Move[object]:
    return switch(TASK, "delete")


def _now() -> Move[object]:
    return run_now(TENANT, TASK, "r1", "a person")


MEETINGS: dict[str, Meeting] = {
    "start × start": Meeting(_start_start, (MACHINE, MACHINE)),
    "claim × claim": Meeting(_claim_claim, (MACHINE, MACHINE), (True, True)),
    "claim × start": Meeting(_claim_start, (MACHINE, MACHINE), (True, False)),
    "claim × claim of one row": Meeting(_claim_claim_row, (MACHINE, MACHINE), (True, False)),
    "start × edit": Meeting(_start_with(_edit), (MACHINE, PERSON)),
    "start × edit of the rule": Meeting(_start_with(_edit_shifted), (MACHINE, PERSON)),
    "start × disable": Meeting(_start_with(_off), (MACHINE, PERSON)),
    "start × delete": Meeting(_start_with(_gone), (MACHINE, PERSON)),
    "claim × edit": Meeting(_claim_with(_edit), (MACHINE, PERSON), (True, False)),
    "claim × disable": Meeting(_claim_with(_off), (MACHINE, PERSON), (True, False)),
    "claim × delete": Meeting(_claim_with(_gone), (MACHINE, PERSON), (True, False)),
    "claim × request": Meeting(_claim_with(_now), (MACHINE, PERSON), (True, False)),
    "define × define": Meeting(_empty(_define, lambda: define(TASK, OLD)), (PERSON, PERSON)),
    "define × define otherwise": Meeting(_empty(_define, lambda: define(TASK, NEW)), (PERSON, PERSON)),
    "define × define of a twin": Meeting(_empty(_define, lambda: define("b", OLD)), (PERSON, PERSON)),
    "define × delete": Meeting(_people(lambda: define(TASK, NEW), _gone), (PERSON, PERSON)),
    "edit × edit": Meeting(_people(_edit, _edit_shifted), (PERSON, PERSON)),
    "edit × disable": Meeting(_people(_edit, _off), (PERSON, PERSON)),
    "disable × delete": Meeting(_people(_off, _gone), (PERSON, PERSON)),
    "request × request": Meeting(_people(_now, _now), (PERSON, PERSON)),
    "request × edit": Meeting(_people(_now, _edit), (PERSON, PERSON)),
    "request × disable": Meeting(_people(_now, _off), (PERSON, PERSON)),
    "finish × close overdue": Meeting(_finish_overdue("succeeded"), (PERSON, MACHINE)),
    "failing finish × close overdue": Meeting(_finish_overdue("failed"), (PERSON, MACHINE)),
    "finish × edit": Meeting(_finish_with("succeeded", _edit), (PERSON, PERSON)),
    "failing finish × edit": Meeting(_finish_with("failed", _edit), (PERSON, PERSON)),
    "failing finish × disable": Meeting(_finish_with("failed", _off), (PERSON, PERSON)),
    "failing finish × delete": Meeting(_finish_with("failed", _gone), (PERSON, PERSON)),
    "failing finish × claim": Meeting(_finish_with("failed", claim_all), (PERSON, MACHINE), (False, True)),
    "finish × claim": Meeting(_finish_with("succeeded", claim_all), (PERSON, MACHINE)),
    "repair × start of a row that stands": Meeting(_repair_start, (SWEEP, MACHINE)),
    "repair × claim": Meeting(_missing(claim_all), (SWEEP, MACHINE), (False, True), broken="I4"),
    "repair × edit": Meeting(_missing(_edit), (SWEEP, PERSON), broken="I4"),
    "repair × disable": Meeting(_missing(_off), (SWEEP, PERSON), broken="I4"),
    "repair × repair": Meeting(_missing(lambda: repaired(TASK)), (SWEEP, SWEEP), broken="I4"),
    "cancel × start": Meeting(_cancel_start, (PERSON, MACHINE)),
    "cancel × claim": Meeting(_cancel_with(claim_all), (PERSON, MACHINE), (False, True)),
    "cancel × edit": Meeting(_cancel_with(_edit), (PERSON, PERSON)),
    "cancel × disable": Meeting(_cancel_with(_off), (PERSON, PERSON)),
    "cancel of a run × finish": Meeting(_cancel_finish("succeeded"), (PERSON, PERSON)),
    "cancel of a run × failing finish": Meeting(_cancel_finish("failed"), (PERSON, PERSON)),
    "wait × finish": Meeting(_wait_finish("succeeded"), (MACHINE, PERSON), (True, False), looked=1),
    "wait × failing finish": Meeting(_wait_finish("failed"), (MACHINE, PERSON), (True, False)),
    "second wait × finish": Meeting(_second_waits, (MACHINE, PERSON), (True, False), 1, loosely=True),
    "cancel of what waits × finish": Meeting(_waiting_cancelled, (PERSON, PERSON)),
    "edit of what waits × finish": Meeting(_waiting_edited, (PERSON, PERSON)),
}
