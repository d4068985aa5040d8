"""Cancelling: open, running, closed, ended; what follows, and that doing it twice changes nothing."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from ledger.errors import NotFound
from projector.moves.cancel import Cancelled, cancel
from projector.moves.request import run_now
from projector.moves.start import claim_row
from tests.moves.acting import INCARNATION, TENANT, claim_all, defined, folded, key_of, switch
from tests.moves.audits import broken
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")
MINUTE = timedelta(minutes=1)


def cancelled(stage: Stage, key: UUID, reason: str | None = None) -> Cancelled:
    return stage.run(cancel(TENANT, key, "anna", reason), "tenant", TENANT)


def row(stage: Stage, key: UUID) -> tuple[object, ...]:
    (found,) = stage.ask(
        "SELECT state, reason, closed_by, closed, blocked_by FROM ledger.occurrence WHERE key = %s", [key]
    )
    return found


def test_an_open_row_is_closed_and_its_successor_stands_at_once(stage: Stage) -> None:
    """I4, I6, I8: the slot has its disposition, and the series goes on after it."""
    stage.at(NOON)
    defined(stage, "a", folded())
    key = key_of(stage, "a")
    stage.at(NOON + timedelta(seconds=10))
    answer = cancelled(stage, key, "not today")
    assert answer == Cancelled(
        "a", key, NOON + MINUTE, "cancelled", "pending", NOON + 2 * MINUTE, ended=False
    )
    assert row(stage, key) == ("cancelled", "not today", "anna", stage.now, None)
    ((made_by, after, base, predecessor),) = stage.ask(
        "SELECT made_by, after, base, predecessor FROM ledger.occurrence WHERE state = 'pending'"
    )
    assert (made_by, after, base, predecessor) == ("cancel", NOON + MINUTE, stage.now, key)
    assert not broken(stage)
    # The cancelled slot never starts, the next one does.
    stage.at(NOON + 2 * MINUTE)
    (started,) = stage.run(claim_all()).started
    assert started.due == NOON + 2 * MINUTE


def test_cancelling_twice_changes_nothing_and_says_so(stage: Stage) -> None:
    """I15, I6: closed rows are final."""
    stage.at(NOON)
    defined(stage, "a", folded())
    key = key_of(stage, "a")
    cancelled(stage, key)
    before = stage.state()
    stage.at(NOON + timedelta(seconds=1))
    answer = cancelled(stage, key)
    assert (answer.did, answer.found, answer.next) == ("unchanged", "cancelled", NOON + 2 * MINUTE)
    assert stage.state() == before


def test_the_last_slot_cancelled_leaves_an_ended_series(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "once", folded(schedule={"at": "2026-06-01T13:00:00Z"}))
    answer = cancelled(stage, key_of(stage, "once"))
    assert (answer.did, answer.next, answer.ended) == ("cancelled", None, True)
    ended = key_of(stage, "once", "ended", "end")
    assert not broken(stage)
    before = stage.state()
    again = cancelled(stage, ended)
    assert (again.did, again.found) == ("unchanged", "ended")
    assert stage.state() == before


def test_a_running_row_ends_without_a_retry_and_frees_what_waits(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded(retry={"attempts": 3, "on": ["failed", "lost", "timed_out"]}))
    stage.at(NOON + MINUTE)
    (run,) = stage.run(claim_all()).started
    request = stage.run(run_now(TENANT, "a", "r1", "anna"), "tenant", TENANT)
    stage.run(claim_row(TENANT, request.key, INCARNATION))
    assert row(stage, request.key)[4] == run.key, "the request waits for the run"
    answer = cancelled(stage, run.key, "wrong data")
    assert (answer.did, answer.found, answer.next) == ("cancelled", "running", NOON + 2 * MINUTE)
    assert row(stage, run.key)[:3] == ("cancelled", "wrong data", "anna")
    assert row(stage, request.key)[4] is None, "the request waits no more"
    assert stage.ask("SELECT wake FROM ledger.occurrence WHERE wake LIKE 'retry%%'") == []
    assert not broken(stage)


def test_a_waiting_request_is_cancelled_alone(stage: Stage) -> None:
    """Another lane than the series has no successor."""
    stage.at(NOON)
    defined(stage, "a", folded())
    request = stage.run(run_now(TENANT, "a", "r1", "anna"), "tenant", TENANT)
    series = key_of(stage, "a")
    answer = cancelled(stage, request.key)
    assert (answer.did, answer.next) == ("cancelled", NOON + MINUTE)
    assert key_of(stage, "a") == series
    assert not broken(stage)


def test_a_retired_row_is_not_touched(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    key = key_of(stage, "a")
    stage.run(switch("a", "disable"), "tenant", TENANT)
    before = stage.state()
    answer = cancelled(stage, key)
    assert (answer.did, answer.found, answer.next, answer.ended) == ("unchanged", "retired", None, False)
    assert stage.state() == before


def test_a_run_of_a_deleted_task_can_be_cancelled(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    stage.at(NOON + MINUTE)
    (run,) = stage.run(claim_all()).started
    stage.run(switch("a", "delete"), "tenant", TENANT)
    answer = cancelled(stage, run.key)
    assert (answer.did, answer.next) == ("cancelled", None)
    assert not broken(stage)


def test_an_unknown_key_is_said(stage: Stage) -> None:
    with pytest.raises(NotFound, match="no such key"):
        cancelled(stage, UUID(int=1))
