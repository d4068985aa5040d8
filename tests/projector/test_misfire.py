"""Slots that come too late to run: `grace_s` in every mode, and `none`, which catches nothing up."""

from __future__ import annotations

from datetime import timedelta

import pytest

from projector.moves.start import start
from tests.moves.acting import TENANT, claim_all, defined, folded, key_of, repaired
from tests.moves.stage import Stage
from tests.projector.hinting import HOUR, HOURLY, MINUTE, NOON, asked, every, once, open_row

MICROSECOND = timedelta(microseconds=1)
SECOND = timedelta(seconds=1)


def task(stage: Stage, schedule: dict[str, object] = HOURLY, **misfire: object) -> None:
    stage.at(NOON)
    defined(stage, "a", folded("", schedule, misfire=misfire))


def claimed(stage: Stage, later: timedelta) -> list[tuple[timedelta, str]]:
    """Claim then; the slots that started, after noon, with their wakes."""
    stage.at(NOON + later)
    return [(run.due - NOON, run.wake) for run in stage.run(claim_all()).started]


def closed(stage: Stage) -> list[tuple[object, ...]]:
    """The slots that were skipped, minutes after noon, and why."""
    found = stage.ask("SELECT due, reason FROM ledger.occurrence WHERE state = 'skipped' ORDER BY due")
    return [((due - NOON) // MINUTE, reason) for due, reason in found]


def passed(stage: Stage) -> object:
    ((found,),) = stage.ask("SELECT passed FROM ledger.occurrence WHERE state = 'pending'")
    assert found is None or isinstance(found, list)
    return found and [(one["first"][11:16], one["last"][11:16], one["count"], one["reason"]) for one in found]


@pytest.mark.parametrize("catch_up", ["latest", "none"])
def test_a_slot_within_its_grace_runs_and_one_later_does_not(stage: Stage, catch_up: str) -> None:
    """I18: to the microsecond, by the database's clock."""
    task(stage, catch_up=catch_up, grace_s=90)
    assert claimed(stage, HOUR + 90 * SECOND) == [(HOUR, "schedule")]
    stage.clear()
    task(stage, catch_up=catch_up, grace_s=90)
    assert claimed(stage, HOUR + 90 * SECOND + MICROSECOND) == []
    assert closed(stage) == [(60, "misfire")]
    assert open_row(stage).due == NOON + 2 * HOUR


def test_latest_does_not_run_the_newest_slot_either_where_that_is_too_late(stage: Stage) -> None:
    task(stage, catch_up="latest", grace_s=600)
    assert claimed(stage, 3 * HOUR + 11 * MINUTE) == []
    assert closed(stage) == [(60, "misfire"), (180, "misfire")]
    assert open_row(stage) == (NOON + 4 * HOUR, "schedule", "baseline-interval", None)
    assert stage.ask("SELECT trail FROM ledger.occurrence WHERE state = 'pending'") == [(None,)], (
        "it is plain"
    )


def test_latest_runs_the_newest_slot_within_its_grace(stage: Stage) -> None:
    task(stage, catch_up="latest", grace_s=600)
    assert claimed(stage, 3 * HOUR + 9 * MINUTE) == [(3 * HOUR, "schedule")]


def test_none_goes_on_with_the_next_slot_to_come(stage: Stage) -> None:
    """Without a number the grace is a minute."""
    task(stage, catch_up="none")
    assert claimed(stage, 3 * HOUR + 5 * MINUTE) == []
    assert closed(stage) == [(60, "misfire")]
    assert open_row(stage).due == NOON + 4 * HOUR
    assert passed(stage) == [("14:00", "15:00", 2, "misfire")]
    stage.clear()
    task(stage, catch_up="none")
    assert claimed(stage, HOUR + MINUTE) == [(HOUR, "schedule")]


def test_none_runs_the_first_slot_within_its_grace_and_those_after_it(stage: Stage) -> None:
    task(stage, {"every_s": 60}, catch_up="none", grace_s=150)
    assert claimed(stage, 10 * MINUTE) == []
    assert open_row(stage).due == NOON + 8 * MINUTE, "7:30 and later are within it"
    assert passed(stage) == [("12:02", "12:07", 6, "misfire")]
    assert claimed(stage, 10 * MINUTE) == [(8 * MINUTE, "schedule")]
    assert open_row(stage).due == NOON + 9 * MINUTE


def test_a_series_that_is_too_late_for_its_last_slot_ends(stage: Stage) -> None:
    task(stage, {"at": "2026-06-01T13:00:00Z"}, catch_up="none")
    assert claimed(stage, 2 * HOUR) == []
    assert stage.ask("SELECT state FROM ledger.occurrence ORDER BY due") == [("skipped",), ("ended",)]


def test_grace_counts_from_when_a_spread_slot_may_run(stage: Stage) -> None:
    task(stage, HOURLY | {"spread_s": 1800}, catch_up="none", grace_s=60)
    ((run_at,),) = stage.ask("SELECT run_at FROM ledger.occurrence")
    spread = run_at - NOON - HOUR
    assert claimed(stage, HOUR + spread + 61 * SECOND) == []
    assert open_row(stage).due == NOON + 2 * HOUR
    assert claimed(stage, 2 * HOUR + spread + 60 * SECOND) == [(2 * HOUR, "schedule")]


@pytest.mark.parametrize("given", ["none", "interval", "oneshot"])
def test_hints_count_after_a_slot_that_was_too_late_and_the_repair_agrees(stage: Stage, given: str) -> None:
    task(stage, catch_up="none")
    if given == "interval":
        asked(stage, every(30))
    elif given == "oneshot":
        asked(stage, once(3 * HOUR + 30 * MINUTE))
    assert claimed(stage, 3 * HOUR + 5 * MINUTE) == []
    due = {"none": 4 * HOUR, "interval": 3 * HOUR + 35 * MINUTE, "oneshot": 3 * HOUR + 30 * MINUTE}[given]
    assert open_row(stage).due == NOON + due
    columns = (
        "SELECT key, due, after, base, source, wake, trail, passed FROM ledger.occurrence"
        " WHERE state = 'pending'"
    )
    before = stage.ask(columns)
    stage.ask("DELETE FROM ledger.occurrence WHERE state = 'pending'")
    stage.at(NOON + 3 * HOUR + 20 * MINUTE)
    stage.run(repaired("a"), "sweeper")
    assert stage.ask(columns) == before


def test_a_runtime_of_its_own_is_told_that_it_came_too_late(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded("", HOURLY, delivery="pull", misfire={"grace_s": 60}))
    stage.at(NOON + HOUR + 2 * MINUTE)
    answer = stage.run(start(TENANT, key_of(stage, "a")), "tenant", TENANT)
    assert getattr(answer, "reason", None) == "closed"
    assert closed(stage) == [(60, "misfire")]


def test_the_first_slot_within_its_grace_is_counted_with_its_spread(stage: Stage) -> None:
    task(stage, HOURLY | {"spread_s": 1800}, catch_up="none", grace_s=60)
    ((run_at,),) = stage.ask("SELECT run_at FROM ledger.occurrence")
    spread = run_at - NOON - HOUR
    assert spread > MINUTE
    moment = 2 * HOUR + spread + 30 * SECOND
    assert claimed(stage, moment) == []
    assert open_row(stage).due == NOON + 2 * HOUR
    assert claimed(stage, moment) == [(2 * HOUR, "schedule")]
