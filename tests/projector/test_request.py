"""Running a task now: once for each request id, whatever became of the first row."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.errors import Disabled, NotFound
from projector.moves.cancel import cancel
from projector.moves.request import Requested, run_now
from projector.moves.start import claim_row
from tests.moves.acting import INCARNATION, TENANT, defined, finished, folded, key_of, switch
from tests.moves.audits import broken
from tests.moves.own_keys import own_key
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00:00.123456")


def asked(stage: Stage, request: str, task: str = "a") -> Requested:
    return stage.run(run_now(TENANT, task, request, "anna"), "tenant", TENANT)


def test_a_request_is_due_at_the_databases_clock_in_a_lane_of_its_own(stage: Stage) -> None:
    """I9, I1: the clock after the locks, to the microsecond; the key is that of its facts."""
    stage.at(NOON)
    defined(stage, "a", folded())
    series = key_of(stage, "a")
    stage.at(NOON, runs_on=timedelta(milliseconds=7))
    answer = asked(stage, "r1")
    assert (answer.first, answer.state, answer.due) == (True, "pending", stage.clock)
    ((digest,),) = stage.ask("SELECT digest FROM ledger.task")
    facts = (TENANT, "python", "manual:r1", "default", "local:default", "a", digest.hex())
    assert answer.key == own_key(facts, stage.clock).key
    assert stage.ask(
        "SELECT wake, lane, run_at, made_by FROM ledger.occurrence WHERE key = %s", [answer.key]
    ) == [("manual:r1", "manual:r1", stage.clock, "run now: anna")]
    assert key_of(stage, "a") == series, "the series goes on beside it"
    assert not broken(stage)


def test_a_second_call_answers_the_first_row_whatever_its_state(stage: Stage) -> None:
    """I15: pending, running, closed, retired, and after the task was switched off or has gone."""
    stage.at(NOON)
    defined(stage, "a", folded())
    first = asked(stage, "r1")

    def same(state: str) -> None:
        before = stage.state()
        stage.at(stage.now + timedelta(seconds=1))
        answer = asked(stage, "r1")
        assert (answer.key, answer.due, answer.first, answer.state) == (first.key, first.due, False, state)
        assert stage.state() == before

    same("pending")
    stage.run(claim_row(TENANT, first.key, INCARNATION))
    same("running")
    stage.run(finished(first.key))
    same("succeeded")
    stage.run(switch("a", "disable"), "tenant", TENANT)
    same("succeeded")
    stage.run(switch("a", "delete"), "tenant", TENANT)
    same("succeeded")
    assert not broken(stage)


def test_a_request_that_an_edit_retired_is_not_made_again(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded("old"))
    first = asked(stage, "r1")
    defined(stage, "a", folded("new"))
    assert asked(stage, "r1") == Requested(
        "a", "r1", first.key, first.due, "retired", False, first.next, ended=False
    )
    assert asked(stage, "r2").first, "another request is another run"
    assert not broken(stage)


def test_two_requests_are_two_runs_and_two_tasks_may_share_an_id(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    defined(stage, "b", folded(schedule={"every_s": 7}))
    keys = {asked(stage, "r1").key, asked(stage, "r2").key, asked(stage, "r1", "b").key}
    assert len(keys) == 3
    stage.run(cancel(TENANT, asked(stage, "r1").key, "anna"), "tenant", TENANT)
    assert asked(stage, "r1").state == "cancelled"
    assert not broken(stage)


def test_a_task_that_is_off_or_not_there_is_said_and_nothing_stored(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    stage.run(switch("a", "disable"), "tenant", TENANT)
    before = stage.state()
    with pytest.raises(Disabled, match="enable it first"):
        asked(stage, "r1")
    with pytest.raises(NotFound, match="no such task"):
        asked(stage, "r1", "nobody")
    assert stage.state() == before
