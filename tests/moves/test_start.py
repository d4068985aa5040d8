"""What a start by key answers, and what it leaves behind when there is nothing to start."""

from __future__ import annotations

from datetime import timedelta

from ledger.errors import NotStarted
from projector.moves.start import Started, start
from tests.moves.acting import TENANT, claim_all, define, defined, folded, key_of, switch
from tests.moves.audits import broken
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")


def states(stage: Stage) -> list[tuple[object, ...]]:
    return stage.ask("SELECT state, reason FROM ledger.occurrence ORDER BY due, key")


def test_a_start_that_a_run_forbids_records_the_skip_and_its_successor(stage: Stage) -> None:
    """I18, I4: a runtime asks while another run is in the way: the slot is closed with the key of
    that run, though the answer is that nothing was started."""
    stage.at(NOON)
    defined(stage, "a", folded())
    stage.at(NOON + timedelta(seconds=60))
    (first,) = stage.run(claim_all()).started
    stage.at(NOON + timedelta(seconds=121))
    key = key_of(stage, "a")
    answer = stage.run(start(TENANT, key))
    assert isinstance(answer, NotStarted)
    assert answer.reason == "closed"
    assert stage.ask("SELECT state, reason, blocked_by FROM ledger.occurrence WHERE key = %s", [key]) == [
        ("skipped", "overlap", first.key)
    ]
    assert states(stage)[-1] == ("pending", None)
    assert not broken(stage)
    # The second time changes nothing (I15).
    before = stage.state()
    again = stage.run(start(TENANT, key))
    assert isinstance(again, NotStarted)
    assert stage.state() == before


def test_a_start_of_a_missed_slot_starts_the_newest(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    stage.at(NOON + timedelta(minutes=10))
    key = key_of(stage, "a")
    answer = stage.run(start(TENANT, key))
    assert isinstance(answer, Started)
    assert answer.due == NOON + timedelta(minutes=10)
    assert answer.key != key
    assert states(stage) == [("skipped", "misfire"), ("running", None), ("pending", None)]
    assert not broken(stage)


def test_what_cannot_start_is_told_apart(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    key = key_of(stage, "a")
    early = stage.run(start(TENANT, key))
    assert isinstance(early, NotStarted)
    assert early.reason == "not_due"
    stage.at(NOON + timedelta(seconds=60))
    assert isinstance(stage.run(start(TENANT, key)), Started)
    twice = stage.run(start(TENANT, key))
    assert isinstance(twice, NotStarted)
    assert twice.reason == "running"
    off = key_of(stage, "a")
    stage.run(switch("a", "disable"), "tenant", TENANT)
    gone = stage.run(start(TENANT, off))
    assert isinstance(gone, NotStarted)
    assert gone.reason == "retired"


def test_a_row_under_a_dead_digest_is_retired_by_its_start_and_the_right_one_opened(stage: Stage) -> None:
    """I11: a row that an act should have retired, but that stands, never starts."""
    stage.at(NOON)
    defined(stage, "a", folded("old"))
    stage.run(define("a", folded("new")), "tenant", TENANT)
    dead, right = key_of(stage, "a", "retired"), key_of(stage, "a")
    stage.ask("DELETE FROM ledger.occurrence WHERE key = %s", [right])
    stage.ask("UPDATE ledger.occurrence SET state = 'pending', reason = NULL WHERE key = %s", [dead])
    stage.at(NOON + timedelta(seconds=60))
    answer = stage.run(start(TENANT, dead))
    assert isinstance(answer, NotStarted)
    assert answer.reason == "retired"
    assert key_of(stage, "a") == right
    assert not broken(stage)
