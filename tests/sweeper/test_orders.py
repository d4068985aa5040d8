"""The sweep beside other moves, through every order of their statements (I3, I4, I11, I15).

After each order every promise must hold, nobody was refused for having been second, and a second look finds
nothing left to mend.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from ledger.driver.transaction import Scope
from ledger.moves.step import Move
from ledger.statements.acts import ADD_ACTS, READ_PENDING, READ_REFERENCES, STORE_DEFINITIONS
from ledger.statements.sweep import (
    LOOK_FAILED,
    LOOK_HELD,
    LOOK_OPEN,
    LOOK_RUNS,
    LOOK_TEXTS,
    PLANT_CANARY,
    READ_DRILLED,
)
from ledger.statements.zones import LOOK_ZONES
from sweeper.moves.drill import Drill, drill
from sweeper.moves.look import look
from sweeper.moves.mend import Mended, mend
from tests.moves import stepping
from tests.moves.acting import TENANT, claim_all, define, defined, finished, folded, key_of, switch
from tests.moves.audits import broken
from tests.moves.scenarios import NOON, OLD, TASK, due, running
from tests.moves.stage import Stage
from tests.moves.stepping import Side, every_order
from tests.servers.databases import Databases

NEW = folded(TASK, {"every_s": 120})
ONCE = folded(TASK, {"at": "2027-01-01T00:00:00Z"})
SWEEP = Scope("sweeper", TENANT)
PERSON = Scope("tenant", TENANT)
DISPATCHER = Scope("dispatcher")

Sides = tuple[Side[object], Side[object]]


@pytest.fixture(scope="module")
def theatre(databases: Databases) -> Iterator[Stage]:
    name = databases.clone()
    stage = Stage(databases.dsn(name), name)
    yield stage
    stage.close()
    databases.drop(name)


@pytest.fixture(scope="module")
def sides(theatre: Stage) -> Iterator[Sides]:
    one, other = Side(theatre.connect()), Side(theatre.connect())
    yield one, other
    one.close()
    other.close()


# What is no step of its own, but goes with the next. Of the six reads of a look one is what these tests turn
# on. Where nobody holds the task (it is gone, or a canary stands in for it) the orders are many: there only
# what takes a row or writes one is a step.
_WITH_THE_NEXT = (LOOK_RUNS, LOOK_HELD, LOOK_FAILED, LOOK_TEXTS, LOOK_ZONES)
_UNHELD = (READ_REFERENCES, STORE_DEFINITIONS, ADD_ACTS)
_DRILL = (*_UNHELD, LOOK_OPEN, READ_PENDING, READ_DRILLED, PLANT_CANARY)


@pytest.fixture(autouse=True)
def fewer_steps(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    name = request.node.name
    more = _UNHELD if "orphan" in name else _DRILL if "drill" in name else ()
    plain = tuple(statement.sql.splitlines()[0] for statement in (*_WITH_THE_NEXT, *more))
    monkeypatch.setattr(stepping, "_LIGHT", (*stepping._LIGHT, *plain))


def _missing(stage: Stage) -> None:
    due(stage)
    stage.ask("DELETE FROM ledger.occurrence")


def _dead(stage: Stage) -> None:
    """The open row is due, under a digest that is no longer the task's."""
    due(stage)
    key = key_of(stage, TASK)
    stage.run(define(TASK, NEW), "tenant", TENANT)
    stage.ask("DELETE FROM ledger.occurrence WHERE state = 'pending'")
    stage.ask("UPDATE ledger.occurrence SET state = 'pending', reason = NULL WHERE key = %s", [key])


def _orphan(stage: Stage) -> None:
    """The task is gone, its open row is not; defined anew, the task would have that very row."""
    stage.at(NOON)
    defined(stage, TASK, ONCE)
    stage.ask("DELETE FROM ledger.task")


def _disabled(stage: Stage) -> None:
    """A task that is off has an open row; enabled again, it would have that very row."""
    stage.at(NOON)
    defined(stage, TASK, ONCE)
    stage.ask("UPDATE ledger.task SET enabled = false")


def _overdue(stage: Stage) -> None:
    running(stage)


def _finish(stage: Stage) -> Callable[[], Move[object]]:
    key = key_of(stage, TASK, "running")
    return lambda: finished(key)


Meets = dict[str, tuple[Callable[[Stage], None], Callable[[Stage], Callable[[], Move[object]]], Scope]]

MEETINGS: Meets = {
    "missing × define anew": (_missing, lambda _: lambda: define(TASK, NEW), PERSON),
    "missing × disable": (_missing, lambda _: lambda: switch(TASK, "disable"), PERSON),
    "missing × delete": (_missing, lambda _: lambda: switch(TASK, "delete"), PERSON),
    "missing × claim": (_missing, lambda _: claim_all, DISPATCHER),
    "dead digest × claim": (_dead, lambda _: claim_all, DISPATCHER),
    "dead digest × edit": (_dead, lambda _: lambda: define(TASK, OLD), PERSON),
    "orphan × define": (_orphan, lambda _: lambda: define(TASK, ONCE), PERSON),
    "stray × enable": (_disabled, lambda _: lambda: switch(TASK, "enable"), PERSON),
    "overdue × finish": (_overdue, _finish, DISPATCHER),
    "mend × mend": (_dead, lambda _: lambda: mend(TENANT, [TASK], {}), SWEEP),
}


@pytest.mark.parametrize("name", MEETINGS)
def test_a_repair_meets_another_move(theatre: Stage, sides: Sides, name: str) -> None:
    set_up, other, scope = MEETINGS[name]
    theatre.clear()
    set_up(theatre)
    make = other(theatre)
    theatre.keep()
    serial = [_serially(theatre, sides, make, scope, order) for order in ((0, 1), (1, 0))]

    def ready() -> tuple[Move[object], Move[object]]:
        theatre.restore()
        return mend(TENANT, [TASK], {}), make()

    orders = did = 0
    for order in every_order(sides, theatre.eye, ready, (SWEEP, scope)):
        orders += 1
        mended, answer = order.answers
        assert isinstance(mended, Mended), (order.steps, mended)
        assert not isinstance(answer, Exception), (order.steps, answer)
        assert not broken(theatre), (order.steps, broken(theatre))
        left = theatre.run(look(TENANT), "sweeper", TENANT)
        assert not left.tasks(), (order.steps, left)
        # Who holds the task is alone with it: what it counts as mended was broken then.
        if scope is PERSON and "orphan" not in name:
            assert (mended.repairs, theatre.state()) in serial, (order.steps, mended)
        did += bool(mended.repairs)
    print(f"{name}: {orders} orders, the sweep mended in {did}")
    assert orders >= 3, "the moves never met"
    assert did, "the sweep never had anything to do"


def _serially(
    stage: Stage, sides: Sides, make: Callable[[], Move[object]], scope: Scope, order: tuple[int, int]
) -> tuple[object, object]:
    """What the sweep counts, and what stands, where one comes after the other."""
    stage.restore()
    makers: tuple[Callable[[], Move[object]], ...] = (lambda: mend(TENANT, [TASK], {}), make)
    answers = {n: sides[n].play(makers[n](), (SWEEP, scope)[n]) for n in order}
    mended = answers[0]
    assert isinstance(mended, Mended), mended
    return mended.repairs, stage.state()


DRILLED: Meets = {
    "drill × edit": (due, lambda _: lambda: define(TASK, NEW), PERSON),
    "drill × disable": (due, lambda _: lambda: switch(TASK, "disable"), PERSON),
    "drill × drill": (due, lambda _: lambda: drill(TENANT, ""), SWEEP),
}


@pytest.mark.parametrize("name", DRILLED)
def test_a_drill_meets_another_move(theatre: Stage, sides: Sides, name: str) -> None:
    """Whoever meets a drill waits for it or passes it by, and leaves what it would have left alone."""
    set_up, other, scope = DRILLED[name]
    theatre.clear()
    set_up(theatre)
    # Far from due, so that it may be drilled with.
    theatre.at(NOON - timedelta(minutes=10))
    theatre.keep()
    make = other(theatre)
    theatre.run(make(), scope.role, scope.tenant)
    alone = theatre.state()

    def ready() -> tuple[Move[object], Move[object]]:
        theatre.restore()
        return drill(TENANT, ""), make()

    orders = 0
    for order in every_order(sides, theatre.eye, ready, (SWEEP, scope)):
        orders += 1
        drilled, answer = order.answers
        assert isinstance(drilled, Drill), (order.steps, drilled)
        assert drilled.word == "passed", (order.steps, drilled)
        assert not isinstance(answer, Exception), (order.steps, answer)
        assert theatre.state() == alone, order.steps
        assert not broken(theatre), (order.steps, broken(theatre))
    print(f"{name}: {orders} orders")
    assert orders >= 3
