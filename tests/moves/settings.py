"""How each pair of moves is set up: the state before, and the two moves, made anew for each order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from dispatcher.moves import set_aside
from ledger.moves.close import Closing, close
from ledger.moves.step import Move
from ledger.statements.presence import Place
from projector.moves.acts import act
from projector.moves.cancel import cancel
from projector.moves.change import Wanted
from projector.moves.hint import Wish, hint, withdraw
from projector.moves.pause import Pause, pause
from projector.moves.request import run_now
from projector.moves.start import claim_row, start
from tests.moves.acting import (
    INCARNATION,
    TENANT,
    claim_all,
    define,
    finished,
    folded,
    key_of,
    overdue,
    repaired,
    switch,
)
from tests.moves.scenarios import NEW, NOON, OLD, SHIFTED, TASK, due, running
from tests.moves.stage import Stage

Maker = Callable[[], Move[object]]
Makers = tuple[Maker, Maker]
Setting = Callable[[Stage], Makers]


def start_start(stage: Stage) -> Makers:
    due(stage)
    key = key_of(stage, TASK)
    return lambda: start(TENANT, key), lambda: start(TENANT, key)


def claim_claim(stage: Stage) -> Makers:
    due(stage, TASK, "b")
    return claim_all, claim_all


def claim_start(stage: Stage) -> Makers:
    due(stage)
    key = key_of(stage, TASK)
    return claim_all, lambda: start(TENANT, key)


def claim_claim_row(stage: Stage) -> Makers:
    due(stage)
    key = key_of(stage, TASK)
    return claim_all, lambda: claim_row(TENANT, key, 8)


def start_with(other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        key = key_of(stage, TASK)
        return (lambda: start(TENANT, key)), other

    return set_up


def claim_with(other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        return claim_all, other

    return set_up


def people(one: Maker, other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        return one, other

    return set_up


def empty(one: Maker, other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        stage.at(NOON)
        return one, other

    return set_up


def finish_with(how: str, other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        running(stage)
        key = key_of(stage, TASK, "running")
        return (lambda: finished(key, how)), other

    return set_up


def finish_overdue(how: str) -> Setting:
    def set_up(stage: Stage) -> Makers:
        running(stage)
        key = key_of(stage, TASK, "running")
        return (lambda: finished(key, how)), (lambda: overdue(TASK, key))

    return set_up


def missing(other: Maker) -> Setting:
    """A repair of a task whose open row has gone, against another move."""

    def set_up(stage: Stage) -> Makers:
        due(stage)
        stage.ask("DELETE FROM ledger.occurrence WHERE task = %s AND state = 'pending'", [TASK])
        return (lambda: repaired(TASK)), other

    return set_up


def repair_start(stage: Stage) -> Makers:
    """A repair that finds nothing to do, against the start of the row it would make."""
    due(stage)
    key = key_of(stage, TASK)
    return (lambda: repaired(TASK)), (lambda: start(TENANT, key))


def cancel_start(stage: Stage) -> Makers:
    due(stage)
    key = key_of(stage, TASK)
    return (lambda: cancel(TENANT, key, "a person")), (lambda: start(TENANT, key))


def cancel_finish(how: str) -> Setting:
    def set_up(stage: Stage) -> Makers:
        running(stage)
        key = key_of(stage, TASK, "running")
        return (lambda: cancel(TENANT, key, "a person")), (lambda: finished(key, how))

    return set_up


def cancel_with(other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        key = key_of(stage, TASK)
        return (lambda: cancel(TENANT, key, "a person")), other

    return set_up


def wait_finish(how: str) -> Setting:
    """A request that is due while a run is in its way, against the end of that run."""

    def set_up(stage: Stage) -> Makers:
        due(stage)
        stage.run(claim_all())
        stage.run(run_now(TENANT, TASK, "r1", "a person"), "tenant", TENANT)
        key = key_of(stage, TASK, "running")
        return claim_all, (lambda: finished(key, how))

    return set_up


def two_wait(stage: Stage) -> None:
    due(stage)
    stage.run(claim_all())
    for second, request in enumerate(("r1", "r2")):
        stage.at(NOON + timedelta(seconds=76 + second))
        stage.run(run_now(TENANT, TASK, request, "a person"), "tenant", TENANT)
    stage.run(claim_all())


def waiting_cancelled(stage: Stage) -> Makers:
    """The oldest of two that wait is cancelled while the run in their way ends: the other must be freed."""
    two_wait(stage)
    key = key_of(stage, TASK, "running")
    first = key_of(stage, TASK, wake="manual:r1")
    return (lambda: cancel(TENANT, first, "a person")), (lambda: finished(key))


def waiting_edited(stage: Stage) -> Makers:
    two_wait(stage)
    key = key_of(stage, TASK, "running")
    return (lambda: define(TASK, NEW)), (lambda: finished(key))


def second_waits(stage: Stage) -> Makers:
    """One waits already, another begins to, and the run in their way ends."""
    due(stage)
    stage.run(claim_all())
    stage.run(run_now(TENANT, TASK, "r1", "a person"), "tenant", TENANT)
    stage.run(claim_all())
    stage.at(stage.now + timedelta(seconds=1))
    stage.run(run_now(TENANT, TASK, "r2", "a person"), "tenant", TENANT)
    key = key_of(stage, TASK, "running")
    return claim_all, (lambda: finished(key))


def define_old() -> Move[object]:
    return define(TASK, OLD)


def edit() -> Move[object]:
    return define(TASK, NEW)


def edit_shifted() -> Move[object]:
    return define(TASK, SHIFTED)


def off() -> Move[object]:
    return switch(TASK, "disable")


def delete() -> Move[object]:
    return switch(TASK, "delete")


def ask_now() -> Move[object]:
    return run_now(TENANT, TASK, "r1", "a person")


def hand_back_with(other: Maker) -> Setting:
    """A run that was never begun is handed back, and its retry minted at once, against another move."""

    def set_up(stage: Stage) -> Makers:
        running(stage)
        key = key_of(stage, TASK, "running")
        closing = Closing(TENANT, TASK, key, "cancelled", "unhanded", incarnation=INCARNATION)
        return (lambda: close([closing])), other

    return set_up


def lost_finish(how: str) -> Setting:
    """A run whose process is said to be absent finishes all the same."""

    def set_up(stage: Stage) -> Makers:
        running(stage)
        key = key_of(stage, TASK, "running")
        closing = Closing(TENANT, TASK, key, "lost", "absent", by="dispatcher", incarnation=INCARNATION)
        return (lambda: close([closing])), (lambda: finished(key, how))

    return set_up


def aside_with(other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        key = key_of(stage, TASK)
        return (lambda: set_aside(Place(TENANT, TASK, key), "why")), other

    return set_up


def enabling(other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        due(stage)
        stage.run(off(), "tenant", TENANT)
        return (lambda: switch(TASK, "enable")), other

    return set_up


def two_finishes_and_edits(stage: Stage) -> Makers:
    """Both hold two tasks, named in opposite orders: neither may wait for the other in a ring."""
    due(stage, TASK, "b")
    stage.run(claim_all())
    keys = [key_of(stage, task, "running") for task in ("b", TASK)]
    closings = [
        Closing(TENANT, task, key, "failed", "finish", by="a runtime")
        for task, key in zip(("b", TASK), keys, strict=True)
    ]
    return (lambda: close(closings)), edit_two


def two_claims_and_edits(stage: Stage) -> Makers:
    due(stage, TASK, "b")
    return claim_all, edit_two


def two_edits(stage: Stage) -> Makers:
    due(stage, TASK, "b")
    return edit_two, (lambda: act(TENANT, [_another(TASK), _another("b")], "a person"))


def two_new(stage: Stage) -> Makers:
    """Two define the same two tasks, in opposite orders."""
    stage.at(NOON)
    asks = [Wanted(task, "define", folded(task, entrypoint=task)) for task in (TASK, "b")]
    return (lambda: act(TENANT, asks, "a person")), (lambda: act(TENANT, asks[::-1], "a person"))


def hinted(other: Maker) -> Setting:
    """A one-shot's row that has come starts, against another move."""

    def set_up(stage: Stage) -> Makers:
        soon_due(stage)
        key = key_of(stage, TASK, wake="hint")
        return (lambda: start(TENANT, key)), other

    return set_up


def people_and_a_hint(one: Maker, other: Maker) -> Setting:
    def set_up(stage: Stage) -> Makers:
        soon_due(stage)
        return one, other

    return set_up


def soon_due(stage: Stage) -> None:
    """A task whose open row is a one-shot's, and due."""
    stage.at(NOON)
    stage.run(define(TASK, OLD), "tenant", TENANT)
    soon = Wish(None, NOON + timedelta(seconds=30), timedelta(hours=4))
    stage.run(hint(TENANT, TASK, soon, "a planner"), "tenant", TENANT)
    # What people do then is later than what began with the transaction.
    stage.at(NOON + timedelta(seconds=45), runs_on=timedelta(milliseconds=1))


def give() -> Move[object]:
    return hint(TENANT, TASK, Wish(timedelta(minutes=10), None, timedelta(hours=4)), "a planner")


def give_once() -> Move[object]:
    return hint(TENANT, TASK, Wish(None, NOON + timedelta(seconds=90), timedelta(hours=4)), "a planner")


def take_back() -> Move[object]:
    return withdraw(TENANT, TASK, "oneshot", "a planner")


def hold() -> Move[object]:
    return pause(TENANT, TASK, Pause(NOON + timedelta(days=1)), "a person")


def edit_two() -> Move[object]:
    asks = [Wanted("b", "edit", folded("new", entrypoint="b")), Wanted(TASK, "edit", NEW)]
    return act(TENANT, asks, "a person")


def _another(task: str) -> Wanted:
    return Wanted(task, "edit", folded("another", entrypoint=task))
