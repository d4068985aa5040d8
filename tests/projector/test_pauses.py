"""Pauses and failure backoff on a real database: what holds a series back, and from where it goes on."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.errors import BadInput
from projector.moves.change import Acted
from projector.moves.hint import Wish, hint
from projector.moves.pause import Pause, pause, resume
from tests.moves.acting import TENANT, claim_all, defined, finished, folded, repaired
from tests.moves.audits import broken
from tests.moves.stage import Stage
from tests.projector.hinting import HOUR, HOURLY, MINUTE, NOON, asked, every, open_row, ran

# --- Pauses --------------------------------------------------------------------------------------


def paused(stage: Stage, until: timedelta, *, at_end: bool = False) -> Acted:
    return stage.run(pause(TENANT, "a", Pause(NOON + until, at_end), "anna", "holiday"), "tenant", TENANT)


def test_a_pause_holds_back_even_what_is_due(hourly: Stage) -> None:
    hourly.at(NOON + HOUR + MINUTE)
    paused(hourly, 3 * HOUR + MINUTE)
    assert open_row(hourly) == (NOON + 4 * HOUR, "schedule", "paused", None)
    assert hourly.run(claim_all()).started == []
    ((passed,),) = hourly.ask("SELECT passed FROM ledger.occurrence WHERE state = 'pending'")
    assert passed == [
        {
            "first": "2026-06-01T14:00:00.000000Z",
            "last": "2026-06-01T15:00:00.000000Z",
            "count": 2,
            "reason": "paused",
        }
    ]
    assert not broken(hourly)


def test_at_its_end_a_pause_may_have_a_slot_of_its_own(hourly: Stage) -> None:
    paused(hourly, 90 * MINUTE, at_end=True)
    assert open_row(hourly) == (NOON + 90 * MINUTE, "schedule", "paused", None)
    ran(hourly, 90 * MINUTE)
    assert open_row(hourly) == (NOON + 2 * HOUR, "schedule", "baseline-interval", None)
    assert not broken(hourly)


def test_the_end_of_a_pause_that_has_come_survives_an_edit(hourly: Stage) -> None:
    paused(hourly, 90 * MINUTE, at_end=True)
    hourly.at(NOON + 95 * MINUTE)
    until: dict[str, object] = {"paused_until": "2026-06-01T13:30:00Z", "resume": "at_end"}
    defined(hourly, "a", folded("edited", HOURLY, **until))
    assert open_row(hourly).due == NOON + 90 * MINUTE
    assert not broken(hourly)


def test_resuming_goes_on_with_the_next_slot(hourly: Stage) -> None:
    paused(hourly, 10 * HOUR)
    hourly.at(NOON + 90 * MINUTE)
    answer = hourly.run(resume(TENANT, "a", "anna"), "tenant", TENANT)
    assert (answer.did, answer.next) == ("edited", NOON + 2 * HOUR)
    state = hourly.state()
    assert hourly.run(resume(TENANT, "a", "anna"), "tenant", TENANT).did == "unchanged"
    assert hourly.state() == state
    ((canonical,),) = hourly.ask(
        "SELECT canonical FROM ledger.task JOIN ledger.definition USING (tenant, digest)"
    )
    assert "pause" not in str(canonical)
    assert not broken(hourly)


def test_pausing_twice_changes_nothing_and_a_past_end_is_refused(hourly: Stage) -> None:
    """I15"""
    paused(hourly, 3 * HOUR)
    state = hourly.state()
    paused(hourly, 3 * HOUR)
    assert hourly.state() == state
    hourly.at(NOON + 3 * HOUR)
    with pytest.raises(BadInput, match="is past"):
        paused(hourly, 3 * HOUR)
    assert hourly.run(resume(TENANT, "a", "anna"), "tenant", TENANT).did == "unchanged", "it is over"
    assert hourly.state() == state


# --- Failure backoff -----------------------------------------------------------------------------


@pytest.mark.parametrize(("backoff", "skipped"), [("double", 1), ("none", 0)])
def test_failures_hold_back_the_next_slot_unless_the_author_says_none(
    stage: Stage, backoff: str, skipped: int
) -> None:
    stage.at(NOON)
    defined(stage, "a", folded(failure_backoff=backoff))
    stage.at(NOON + MINUTE)
    (run,) = stage.run(claim_all()).started
    stage.run(finished(run.key, "failed"), "tenant", TENANT)
    stage.at(NOON + 2 * MINUTE)
    claimed = stage.run(claim_all())
    assert (claimed.skipped, len(claimed.started)) == (skipped, 1 - skipped)
    assert not broken(stage)


def test_a_hint_does_not_lead_before_the_gate(stage: Stage) -> None:
    """The skipped row is followed by the first grid slot not before it, whatever a hint says (I18)."""
    stage.at(NOON)
    defined(stage, "a", folded())
    stage.at(NOON + MINUTE)
    (run,) = stage.run(claim_all()).started
    stage.run(finished(run.key, "failed"), "tenant", TENANT)
    asked(stage, hint(TENANT, "a", Wish(timedelta(seconds=10), None, HOUR), "anna"))
    stage.at(NOON + MINUTE + timedelta(seconds=10))
    assert stage.run(claim_all()).skipped == 1
    assert open_row(stage).due == NOON + 3 * MINUTE
    stage.ask("DELETE FROM ledger.occurrence WHERE state = 'pending'")
    stage.run(repaired("a"), "sweeper")
    assert open_row(stage).due == NOON + 3 * MINUTE
    assert not broken(stage)


def test_the_end_of_a_pause_is_a_slot_that_both_versions_may_hold(hourly: Stage) -> None:
    """I11: passed over by a hint that another version puts elsewhere, it is what the edit resumes before."""
    paused(hourly, 90 * MINUTE, at_end=True)
    asked(hourly, every(100))
    assert open_row(hourly).due == NOON + 100 * MINUTE
    hourly.at(NOON + 95 * MINUTE)
    until: dict[str, object] = {"paused_until": "2026-06-01T13:30:00Z", "resume": "at_end"}
    defined(hourly, "a", folded("edited", HOURLY, **until))
    assert hourly.ask("SELECT resume_after FROM ledger.act ORDER BY n DESC LIMIT 1") == [
        (NOON + 90 * MINUTE - timedelta(microseconds=1),)
    ]
    assert open_row(hourly).due == NOON + 100 * MINUTE
    assert not broken(hourly)
