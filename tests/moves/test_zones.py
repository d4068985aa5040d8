"""Rows that another release of the zone rules projected: where each goes on, what meets its move (I20)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import pytest

from ledger.driver.transaction import Scope
from ledger.moves.adopt import NEVER, Origin, Subject, adopt
from ledger.moves.definitions import parse
from ledger.moves.step import Move
from ledger.release import RELEASE
from projector.moves.cancel import cancel
from projector.moves.zones import Moved, look_zones, move_zones
from tests.moves.acting import TENANT, claim_all, define, defined, folded, key_of, switch
from tests.moves.audits import broken
from tests.moves.elsewhere import EDITED, NINE, OTHER, TASK, at, opened, ran
from tests.moves.stage import Stage
from tests.moves.stepping import Side, every_order

PERSON = Scope("tenant", TENANT)
DISPATCHER = Scope("dispatcher")
JUST = timedelta(microseconds=1)


def move(stage: Stage) -> Moved:
    return stage.run(move_zones(TENANT, [TASK], "a person", "zones"), "tenant", TENANT)


def series(stage: Stage) -> list[tuple[object, ...]]:
    return stage.ask("SELECT due, state FROM ledger.occurrence WHERE state <> 'retired' ORDER BY due")


def acts(stage: Stage) -> list[tuple[object, ...]]:
    return stage.ask("SELECT resume_after FROM ledger.act WHERE what = 'zones'")


Case = tuple[Callable[[Stage], UUID], datetime, datetime, datetime]
CASES: dict[str, Case] = {
    # Both to come: the new instant is the one.
    "later than it should be": (
        lambda s: opened(s, at("01 12:00"), at("01 17:00")),
        at("01 13:00"),
        at("01 16:00"),
        at("01 13:00"),
    ),
    "sooner than it should be": (
        lambda s: opened(s, at("01 12:00"), at("01 15:00")),
        at("01 13:00"),
        at("01 16:00"),
        at("01 13:00"),
    ),
    # Under the rules in force the slot has come already: it is run, and not lost.
    "by now it has come": (
        lambda s: opened(s, at("01 12:00"), at("01 17:00")),
        at("01 16:30"),
        at("01 16:00"),
        at("01 16:00") - JUST,
    ),
    # It ran at three; that the rules would have had it at four is no reason to run it again.
    "it ran, at another hour": (
        lambda s: ran(s, at("01 15:00"), at("02 15:00")),
        at("01 17:00"),
        at("02 16:00"),
        at("01 17:00"),
    ),
    # What the rules in force have yet to come is a slot, whatever ran before.
    "it ran, and its hour is to come": (
        lambda s: ran(s, at("01 15:00"), at("02 15:00")),
        at("01 15:30"),
        at("01 16:00"),
        at("01 15:30"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_where_a_series_goes_on(stage: Stage, name: str) -> None:
    set_up, now, due, resume_after = CASES[name]
    old = set_up(stage)
    stage.at(now)
    assert not broken(stage)
    moved = move(stage)
    assert [(drift.key, drift.then) for drift in moved.drifts] == [(old, due)]
    assert [row.due for row in moved.rows] == [due]
    assert stage.ask("SELECT due, tzdata FROM ledger.occurrence WHERE state = 'pending'") == [
        (due, RELEASE.tzdata)
    ]
    assert stage.ask("SELECT reason FROM ledger.occurrence WHERE key = %s", [old]) == [("zones",)]
    assert acts(stage) == [(resume_after,)]
    # Intervals of hints and bounds count from where they counted: this act is nobody's wish.
    bases = "SELECT count(DISTINCT base) FROM ledger.occurrence WHERE state IN ('pending', 'retired')"
    assert stage.ask(bases) == [(1,)]
    assert not broken(stage)
    # A second time there is nothing to do (I15), and the slot is run once, at its time.
    assert not move(stage).drifts
    stage.at(max(now, due))
    assert [run.due for run in stage.run(claim_all()).started] == [due]
    assert not broken(stage)
    assert series(stage)[-1] == (due + timedelta(days=1), "pending")


def test_a_row_that_has_come_stands_and_the_next_one_goes_by_the_new_rules(stage: Stage) -> None:
    opened(stage, at("01 12:00"), at("01 17:00"))
    stage.at(at("01 17:00"))
    assert stage.run(look_zones(TENANT, "", "~"), "reader").come == 1
    assert not move(stage).drifts
    assert acts(stage) == []
    assert [run.due for run in stage.run(claim_all()).started] == [at("01 17:00")]
    assert series(stage)[-1] == (at("02 16:00"), "pending")
    assert not broken(stage)


def test_a_row_whose_instant_stays_says_so_once_and_has_no_act(stage: Stage) -> None:
    key = opened(stage, at("01 12:00"), at("01 16:00"))
    assert stage.run(look_zones(TENANT, "", "~"), "reader").same == [(TASK, key)]
    assert not move(stage).drifts
    assert stage.ask("SELECT state, tzdata FROM ledger.occurrence") == [("pending", RELEASE.tzdata)]
    assert stage.run(look_zones(TENANT, "", "~"), "reader").looked_at == 0
    assert acts(stage) == []


def test_a_row_that_stays_but_stands_for_other_slots_is_the_same_row_by_a_new_act(stage: Stage) -> None:
    """Today's slot of these rules lies behind, after the one that ran: tomorrow's does not cover it."""
    key = ran(stage, at("01 15:00"), at("02 16:00"))
    stage.at(at("01 17:00"))
    assert [drift.differs for drift in move(stage).drifts] == [False]
    assert acts(stage) == [(at("01 17:00"),)]
    found = stage.ask("SELECT key, after, tzdata FROM ledger.occurrence WHERE state = 'pending'")
    assert found == [(key, at("01 17:00"), RELEASE.tzdata)]
    assert not broken(stage)
    assert not move(stage).drifts


def test_a_task_in_utc_is_not_even_looked_at(stage: Stage) -> None:
    stage.at(at("01 12:00"))
    defined(stage, TASK, folded(payload={"timezone": "Etc/GMT+7"}, schedule={"cron": "0 9 * * *"}))
    stage.ask("UPDATE ledger.occurrence SET tzdata = NULL")
    found = stage.run(look_zones(TENANT, "", "~"), "reader")
    assert not found.drifts
    assert not found.unreadable


def test_a_series_that_had_ended_goes_on_and_one_that_ends_says_so(stage: Stage) -> None:
    bounded = folded(schedule={**NINE, "ends_at": "2026-06-01T16:30:00Z"})
    stage.at(at("01 12:00"))
    defined(stage, TASK, bounded)
    subject = Subject(TENANT, TASK, bounded.digest, parse(bounded.canonical))
    came = Origin(after=at("01 12:00"), base=at("01 12:00"))
    right = key_of(stage, TASK)
    for row, then in (
        (subject.row("end", NEVER, "ended", origin=came), [at("01 16:00")]),
        (subject.row("schedule", at("01 16:20"), origin=came), [at("01 16:00")]),
    ):
        stage.ask("DELETE FROM ledger.occurrence")
        stage.run(adopt([row], "define", stage.now), "tenant", TENANT)
        stage.ask("UPDATE ledger.occurrence SET tzdata = %s", [OTHER])
        assert [drift.then for drift in move(stage).drifts] == then
        assert key_of(stage, TASK) == right
    # And the other way: the last slot lies behind the bound.
    stage.ask("DELETE FROM ledger.occurrence")
    row = subject.row("schedule", at("01 16:20"), origin=Origin(after=at("01 16:00"), base=at("01 16:00")))
    stage.run(adopt([row], "define", stage.now), "tenant", TENANT)
    stage.ask("UPDATE ledger.occurrence SET tzdata = %s", [OTHER])
    stage.ask("UPDATE ledger.act SET resume_after = %s", [at("01 16:00")])
    assert [drift.then for drift in move(stage).drifts] == [None]
    assert stage.ask("SELECT state, wake FROM ledger.occurrence WHERE state <> 'retired'") == [
        ("ended", "end")
    ]


@pytest.fixture(scope="module")
def sides(theatre: Stage) -> Iterator[tuple[Side[object], Side[object]]]:
    one, other = Side(theatre.connect()), Side(theatre.connect())
    yield one, other
    one.close()
    other.close()


def _to_come(stage: Stage) -> None:
    opened(stage, at("01 12:00"), at("01 17:00"))
    stage.at(at("01 13:00"))


def _come(stage: Stage) -> None:
    """Due by the other release; and by this one an hour ago."""
    opened(stage, at("01 12:00"), at("01 17:00"))
    stage.at(at("01 17:00"))


def _moving() -> Move[object]:
    return move_zones(TENANT, [TASK], "a person", "zones")


Make = Callable[[Stage], Callable[[], Move[object]]]
MEETINGS: dict[str, tuple[Callable[[Stage], None], Make, Scope]] = {
    "to come × claim": (_to_come, lambda _: claim_all, DISPATCHER),
    "come × claim": (_come, lambda _: claim_all, DISPATCHER),
    "to come × edit": (_to_come, lambda _: lambda: define(TASK, EDITED), PERSON),
    "come × edit": (_come, lambda _: lambda: define(TASK, EDITED), PERSON),
    "to come × disable": (_to_come, lambda _: lambda: switch(TASK, "disable"), PERSON),
    "to come × delete": (_to_come, lambda _: lambda: switch(TASK, "delete"), PERSON),
    "to come × move": (_to_come, lambda _: _moving, PERSON),
    "to come × cancel": (
        _to_come,
        lambda stage: partial(cancel, TENANT, key_of(stage, TASK), "a person"),
        PERSON,
    ),
}


@pytest.mark.parametrize("name", MEETINGS)
def test_a_move_of_the_rules_meets_another_move(
    stage: Stage, sides: tuple[Side[object], Side[object]], name: str
) -> None:
    set_up, other, scope = MEETINGS[name]
    set_up(stage)
    make = other(stage)
    stage.keep()

    def ready() -> tuple[Move[object], Move[object]]:
        stage.restore()
        return _moving(), make()

    orders = 0
    for order in every_order(sides, stage.eye, ready, (PERSON, scope)):
        orders += 1
        for answer in order.answers:
            assert not isinstance(answer, Exception), (order.steps, answer)
        assert not broken(stage), (order.steps, broken(stage))
        left = stage.run(look_zones(TENANT, "", "~"), "reader")
        assert not left.drifts, (order.steps, left)
        assert not left.unreadable, (order.steps, left)
        if "disable" not in name and "delete" not in name:
            assert len(stage.ask("SELECT key FROM ledger.occurrence WHERE state = 'pending'")) == 1, (
                order.steps
            )
    print(f"{name}: {orders} orders")
    assert orders >= 2, "the moves never met"
