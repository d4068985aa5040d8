"""Reruns: each slot that is found runs once more, so many at a time, and said twice it is one."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from ledger.errors import BadInput, NotFound
from ledger.moves.finding import Sought
from projector.moves.rerun import Reran, Wish, cancel_rerun, rehearse_rerun, rerun
from projector.moves.start import Claimed, claim, claim_row
from tests.moves.acting import TENANT, claim_all, defined, finished, folded, key_of, switch
from tests.moves.audits import broken
from tests.moves.scenarios import MACHINE
from tests.moves.stage import Stage, instant
from tests.moves.stepping import PATIENCE_S, Side

NOON = instant("2026-06-01 12:00")
HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
HOURLY: dict[str, object] = {"every_s": 3600}
FAILED = Wish("r", task="a")


def asked(stage: Stage, wish: Wish = FAILED) -> Reran:
    return stage.run(rerun(TENANT, wish, "anna"), "tenant", TENANT)


def failing(stage: Stage, task: str = "a", slots: int = 3, **members: object) -> list[UUID]:
    """A task whose last slots have failed, each run and every retry of it; the keys of the first runs."""
    stage.at(NOON)
    defined(stage, task, folded(schedule=HOURLY, entrypoint=task, failure_backoff="none", **members))
    keys = []
    for n in range(1, slots + 1):
        stage.at(NOON + n * HOUR)
        for _ in range(4):
            for run in stage.run(claim_all()).started:
                keys += [run.key] if run.wake == "schedule" else []
                stage.run(finished(run.key, "failed"))
            stage.at(stage.now + SECOND)
    return keys


def again(stage: Stage) -> list[tuple[object, ...]]:
    return stage.ask(
        "SELECT task, due, wake, state FROM ledger.occurrence WHERE wake LIKE 'rerun:%%' ORDER BY due, wake"
    )


def drain(stage: Stage, most: int = 60) -> list[datetime]:
    """Run what is due of reruns, a claim a second, until nothing of it is open; the slots as they began."""
    began: list[datetime] = []
    for _ in range(most):
        stage.at(stage.now + SECOND)
        for run in stage.run(claim_all()).started:
            began += [run.due] if run.wake.startswith("rerun:") else []
            stage.run(finished(run.key))
        if not [row for row in again(stage) if row[3] == "pending"]:
            return began
    raise AssertionError(again(stage))


def test_what_has_failed_runs_once_more_each_slot_once_oldest_first(stage: Stage) -> None:
    """I8: with retries of its own a slot has several failed rows, and is still one slot."""
    keys = failing(stage, retry={"attempts": 1, "backoff_s": 0})
    hours = [NOON + n * HOUR for n in (1, 2, 3)]
    answer = asked(stage)
    assert [(m.due, m.state) for m in answer.rows] == [(hour, "pending") for hour in hours]
    assert (answer.state, answer.left, answer.made, answer.at_once) == ("going", {}, True, 1)
    assert again(stage) == [("a", hour, "rerun:1:schedule", "pending") for hour in hours]
    before = stage.ask("SELECT predecessor FROM ledger.occurrence WHERE wake LIKE 'rerun:%%' ORDER BY due")
    assert before == [(key,) for key in keys]
    assert drain(stage) == hours
    assert asked(stage).state == "done"
    assert not broken(stage)


def test_a_rehearsal_keeps_nothing_and_what_is_said_twice_is_one(stage: Stage) -> None:
    """I15."""
    failing(stage)
    before = stage.state()
    told = stage.run(rehearse_rerun(TENANT, FAILED, "anna"), "tenant", TENANT)
    assert stage.state() == before
    first = asked(stage)
    assert (told.rows, told.left) == (first.rows, first.left)
    before = stage.state()
    second = asked(stage)
    assert (second.rows, second.made) == (first.rows, False)
    assert stage.state() == before
    with pytest.raises(BadInput, match=r"request 'r' was made before, for .*\"task\": \"a\""):
        asked(stage, Wish("r"))


def test_a_rerun_that_fails_has_the_retries_of_a_first_run(stage: Stage) -> None:
    """Numbers go on, and what was asked for is outside of the task's attempts."""
    failing(stage, slots=1, retry={"attempts": 2, "backoff_s": 0})
    asked(stage)
    wakes = []
    for _ in range(5):
        stage.at(stage.now + SECOND)
        for run in stage.run(claim_all()).started:
            wakes.append(run.wake)
            stage.run(finished(run.key, "failed"))
    assert wakes == [f"rerun:{n}:schedule" for n in (1, 2, 3)]
    assert [row.lane.partition("@")[0] for row in asked(stage, Wish("s", task="a")).rows] == [
        "rerun:4:schedule"
    ]
    assert not broken(stage)


def test_slots_that_have_succeeded_since_or_are_open_are_left_out(stage: Stage) -> None:
    keys = failing(stage)
    asked(stage, Wish("one", keys=keys[:1]))
    drain(stage)
    asked(stage, Wish("two", keys=keys[1:2]))
    answer = asked(stage)
    assert ([m.due for m in answer.rows], answer.left) == ([NOON + 3 * HOUR], {"open": 1, "succeeded": 1})
    drain(stage)
    assert [m.due for m in asked(stage, Wish("three", keys=keys[:1])).rows] == [NOON + HOUR], "asked by name"
    stage.run(switch("a", "disable"), "tenant", TENANT)
    assert asked(stage, Wish("four", keys=keys)).left == {"off": 3}
    assert not broken(stage)


def test_it_finds_by_state_and_time_and_takes_no_more_than_are_asked_for(stage: Stage) -> None:
    failing(stage)
    failing_b = failing(stage, "b")
    sought = Sought(states=["failed"], since=NOON + 2 * HOUR, until=NOON + 3 * HOUR)
    assert {(m.task, m.due) for m in asked(stage, Wish("r", sought=sought)).rows} == {
        ("a", NOON + 2 * HOUR),
        ("b", NOON + 2 * HOUR),
    }
    assert asked(stage, Wish("s", sought=Sought(states=["lost"]))).rows == []
    assert len(failing_b) == 3
    assert not broken(stage)


def test_no_more_than_its_bound_run_at_a_time_also_across_tasks(stage: Stage) -> None:
    """The rows of six tasks, two at a time, claimed by two machines that know nothing of each other."""
    for n in range(6):
        failing(stage, f"t{n}", slots=1)
    stage.at(NOON + HOUR + 30 * SECOND)
    assert len(asked(stage, Wish("r", at_once=2)).rows) == 6
    running: dict[UUID, datetime] = {}
    done = most = looks = 0
    while done < 6:
        assert looks < 200
        stage.at(stage.now + timedelta(milliseconds=250))
        looks += 1
        for machine in (7, 8):
            claimed: Claimed = stage.run(claim(["python"], 1 if looks % 2 else 100, machine))
            running |= {run.key: run.started for run in claimed.started}
            most = max(most, len(running))
            assert len(running) <= 2
        if looks % 3 == 0:
            for key in list(running)[:1]:
                stage.run(finished(key))
                del running[key]
                done += 1
    assert most == 2
    assert asked(stage, Wish("r", at_once=2)).state == "done"
    assert not broken(stage)


def test_two_claims_at_once_count_the_same_runs_only_once(stage: Stage) -> None:
    """While one claim holds the rerun, another starts none of its rows, and does not wait for it."""
    for name in ("a", "b"):
        failing(stage, name, slots=1)
    asked(stage, Wish("r", sought=Sought(states=["failed"])))
    stage.at(stage.now + SECOND)
    keys = [key_of(stage, name, wake="rerun:1:schedule") for name in ("a", "b")]
    side = Side(stage.connect())
    side.begin(claim_row(TENANT, keys[0], 7), MACHINE)
    while not (side.sent and side.sent[-1].startswith("Holds reruns")):
        assert not side.finished
        side.step()
        assert side.rested(PATIENCE_S)
    other = stage.run(claim_row(TENANT, keys[1], 8))
    assert (other.started, other.left) == ([], 1)
    while not side.finished:
        side.step()
        assert side.rested(PATIENCE_S)
    side.close()
    assert isinstance(side.answer, Claimed)
    assert [run.key for run in side.answer.started] == [keys[0]]
    assert not broken(stage)


def test_rows_whose_turn_it_is_not_are_looked_at_the_later_the_more_are_before_them(stage: Stage) -> None:
    for n in range(4):
        failing(stage, f"t{n}", slots=1)
    asked(stage, Wish("r"))
    stage.at(stage.now + SECOND)
    assert len(stage.run(claim_all()).started) == 1
    waits = stage.ask(
        "SELECT run_at FROM ledger.occurrence"
        " WHERE wake LIKE 'rerun:%%' AND state = 'pending' ORDER BY run_at"
    )
    # The one that starts is the first of the four, as they stood before.
    assert waits == [(stage.now + n * timedelta(milliseconds=250),) for n in (2, 3, 4)]


def test_an_edit_keeps_it_under_the_new_digest_and_a_cancel_ends_it(stage: Stage) -> None:
    """I11: same slot, same number."""
    failing(stage)
    asked(stage)
    defined(stage, "a", folded("new", HOURLY, entrypoint="a", failure_backoff="none"))
    assert {row[2] for row in again(stage) if row[3] == "pending"} == {"rerun:1:schedule"}
    stage.at(stage.now + SECOND)
    (run,) = [run for run in stage.run(claim_all()).started if run.wake != "schedule"]
    answer = stage.run(cancel_rerun(TENANT, "r", "anna", "no more"), "tenant", TENANT)
    assert (answer.did, answer.open, answer.running) == ("cancelled", 2, 1)
    assert {row[3] for row in again(stage)} == {"retired", "cancelled"}
    before = stage.state()
    assert stage.run(cancel_rerun(TENANT, "r", "anna"), "tenant", TENANT).did == "unchanged"
    assert stage.state() == before
    assert asked(stage).state == "cancelled"
    assert run.due == NOON + HOUR
    assert not broken(stage)


def test_what_cannot_be_run_once_more_is_said_and_nothing_kept(stage: Stage) -> None:
    failing(stage)
    before = stage.state()
    nobody = UUID(int=7)
    for wish, error, said in (
        (Wish("r", keys=[nobody]), NotFound, "no such key"),
        (Wish("r", keys=[key_of(stage, "a")]), BadInput, "the row is pending"),
        (Wish("r", task="nobody"), NotFound, "no such task"),
    ):
        with pytest.raises(error, match=said):
            asked(stage, wish)
        assert stage.state() == before
    with pytest.raises(NotFound, match="none of request 'x'"):
        stage.run(cancel_rerun(TENANT, "x", "anna"), "tenant", TENANT)
