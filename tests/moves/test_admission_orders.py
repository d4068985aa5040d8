"""Starts side by side against one tenant's limits, in random orders of their statements; and a random day.

Holds I18: a cap is never exceeded and a quota never passed, whoever starts and however they meet.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice
from typing import cast
from uuid import UUID

import pytest

from ledger.driver.transaction import Scope
from ledger.errors import NotStarted
from ledger.moves.close import Report, finish
from ledger.moves.limits import Change, set_limits
from ledger.moves.step import Move
from projector.moves.decide import Started
from projector.moves.start import Claimed, claim, start
from tests.moves.acting import INCARNATION, TENANT
from tests.moves.audits import broken
from tests.moves.conftest import Aloud
from tests.moves.limiting import MINUTE, NOON, forget_limits, limited, tasks, used
from tests.moves.stage import Stage
from tests.moves.stepping import Side, random_orders

MACHINE, PERSON = Scope("dispatcher"), Scope("tenant", TENANT)
Sides = tuple[Side[object], Side[object]]
ORDERS = 15
Maker = Callable[[Stage], Move[object]]


@pytest.fixture(scope="module")
def sides(theatre: Stage) -> Iterator[Sides]:
    one: Side[object] = Side(theatre.connect())
    other: Side[object] = Side(theatre.connect())
    yield one, other
    one.close()
    other.close()


@pytest.fixture(autouse=True)
def no_limits(stage: Stage) -> Iterator[None]:
    yield
    forget_limits(stage)


def keys(stage: Stage) -> list[UUID]:
    found = sorted(stage.rows(), key=lambda row: str(row["task"]))
    return [cast("UUID", row["key"]) for row in found if row["state"] == "pending"]


def claim_one(_: Stage) -> Move[object]:
    return claim(["python"], 1, INCARNATION)


def start_second(stage: Stage) -> Move[object]:
    return start(TENANT, keys(stage)[1])


def started(answer: object) -> int:
    """How many runs an answer begins."""
    if isinstance(answer, Claimed):
        return len(answer.started)
    assert isinstance(answer, Started | NotStarted), answer
    return int(isinstance(answer, Started))


@pytest.mark.parametrize(
    ("change", "one", "other"),
    [(Change(cap=1), claim_one, claim_one), (Change(quota=1), claim_one, start_second)],
    ids=["claim × claim, a cap", "claim × start, a quota"],
)
def test_of_two_that_start_one_does(
    stage: Stage, sides: Sides, change: Change, one: Maker, other: Maker
) -> None:
    stage.at(NOON)
    limited(stage, change=change)
    tasks(stage, 2)
    stage.at(NOON + MINUTE)
    before = stage.ask("SELECT key, tenant, task, state FROM ledger.occurrence")
    stage.keep()
    assert len(before) == 2

    def ready() -> tuple[Move[object], Move[object]]:
        stage.restore()
        stage.ask("DELETE FROM ledger.usage")
        return one(stage), other(stage)

    seed = random.randrange(2**32)
    rng = random.Random(seed)
    orders = waited = 0
    for order in islice(random_orders(sides, stage.eye, ready, (MACHINE, MACHINE), rng), ORDERS):
        orders += 1
        waited += bool(order.waited)
        assert sum(map(started, order.answers)) == 1, (order.steps, order.answers)
        ((running,),) = stage.ask("SELECT count(*) FROM ledger.occurrence WHERE state = 'running'")
        assert running == 1, order.steps
        assert not broken(stage), (order.steps, broken(stage))
        if change.quota != "keep":
            assert used(stage) == [(TENANT, "2026-06-01", 1)], order.steps
    print(f"seed {seed}: {orders} orders, in {waited} of which one waited for the other")
    assert orders == ORDERS
    assert not waited or other is start_second, "claims pass by what is held"


def test_a_suspension_and_a_claim_are_as_one_after_the_other(stage: Stage, sides: Sides) -> None:
    stage.at(NOON)
    limited(stage, change=Change(cap=5))
    tasks(stage, 1)
    stage.at(NOON + MINUTE)
    stage.keep()
    rng = random.Random(5)
    seen = set()

    def ready() -> tuple[Move[object], Move[object]]:
        stage.restore()
        limited(stage, change=Change(suspended=False))
        return claim_one(stage), set_limits(TENANT, Change(suspended=True), "an operator")

    for order in islice(random_orders(sides, stage.eye, ready, (MACHINE, PERSON), rng), ORDERS):
        answer = order.answers[0]
        assert isinstance(answer, Claimed)
        seen.add((len(answer.started), answer.skipped, len(answer.elsewhere)))
        assert not broken(stage), (order.steps, broken(stage))
    assert len(seen) > 1, "they met"
    assert seen <= {(1, 0, 0), (0, 1, 0), (0, 0, 1)}, "it starts, it is skipped, or it is looked at again"


def test_a_cap_is_never_exceeded_on_a_random_day(stage: Stage, aloud: Aloud) -> None:
    """Three tenants, two of them with caps that people move; claims, starts and ends in any order."""
    seed = random.randrange(2**32)
    rng = random.Random(seed)
    caps: dict[str, int | None] = {TENANT: 2, "b": 1, "c": None}
    stage.at(NOON)
    for tenant, cap in caps.items():
        tasks(stage, 4, tenant)
        limited(stage, tenant, Change(cap=cap))
    starts = held = 0
    for step in range(100):
        stage.at(NOON + MINUTE + step * MINUTE / 4)
        running = {
            (str(row["tenant"]), cast("UUID", row["key"]))
            for row in stage.rows()
            if row["state"] == "running"
        }
        what = rng.random()
        if what < 0.4:
            claimed = stage.run(claim(["python"], rng.choice([1, 3, 50]), INCARNATION))
            starts, held = starts + len(claimed.started), held + len(claimed.held)
        elif what < 0.55 and (due := [row for row in stage.rows() if row["state"] == "pending"]):
            row = rng.choice(due)
            starts += started(stage.run(start(str(row["tenant"]), cast("UUID", row["key"]))))
        elif what < 0.6:
            tenant = rng.choice([TENANT, "b"])
            caps[tenant] = rng.randint(1, 3)
            limited(stage, tenant, Change(cap=caps[tenant]))
        elif running:
            tenant, key = rng.choice(sorted(running))
            stage.run(finish_of(tenant, key))
        now: dict[str, int] = dict.fromkeys(caps, 0)
        for row in stage.rows():
            now[str(row["tenant"])] += row["state"] == "running"
        for tenant, cap in caps.items():
            # One that was moved below what runs lets it end, and starts nothing.
            before = sum(one == tenant for one, _ in running)
            assert cap is None or now[tenant] <= max(cap, before), (seed, step, tenant)
    assert not broken(stage), seed
    aloud(f"seed {seed}: {starts} starts, {held} times held")
    assert starts >= 20, "a day on which little began shows little"
    assert held >= 3


def finish_of(tenant: str, key: UUID) -> Move[object]:
    return finish(tenant, key, Report("succeeded"), "a runtime")
