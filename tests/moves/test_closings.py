"""Closings and what they leave: retries, failures in a row, reasons, evidence."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from ledger.moves.close import Closing, Closings, close
from ledger.moves.step import Move
from projector.moves.acts import act
from projector.moves.change import Wanted
from projector.moves.request import run_now
from tests.moves.acting import (
    INCARNATION,
    TENANT,
    claim_all,
    define,
    defined,
    finished,
    folded,
    key_of,
    switch,
)
from tests.moves.audits import broken
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")


def handed_back(key: UUID) -> Move[Closings]:
    closing = Closing(TENANT, "a", key, "cancelled", "unhanded", incarnation=INCARNATION)
    return close([closing])


def begun(stage: Stage, seconds: float) -> UUID:
    """The one run that a claim starts so long after noon."""
    stage.at(NOON + timedelta(seconds=seconds))
    (run,) = stage.run(claim_all()).started
    return run.key


def column(stage: Stage, key: UUID, name: str) -> object:
    ((value,),) = stage.ask("SELECT to_jsonb(o) -> %s FROM ledger.occurrence o WHERE key = %s", [name, key])
    return value


def test_a_slot_has_failed_when_its_last_attempt_did_though_the_first_was_handed_back(stage: Stage) -> None:
    """The retry of a row that was handed back is outside `attempts`; the slot after it counts its failure."""
    stage.at(NOON)
    defined(stage, "a", folded())
    stage.run(handed_back(begun(stage, 60)))
    retry = begun(stage, 61)
    stage.run(finished(retry, "failed"), "tenant", TENANT)
    assert column(stage, retry, "failures") == 1
    # The series last started at 12:01, and the interval doubles: the slot of 12:02 is held back.
    stage.at(NOON + timedelta(seconds=120))
    claimed = stage.run(claim_all())
    assert (claimed.started, claimed.skipped) == ([], 1)
    assert stage.ask("SELECT failures FROM ledger.occurrence WHERE reason = 'backoff'") == [(1,)]
    assert not broken(stage)


def test_a_slot_has_failed_though_an_edit_allows_fewer_attempts_than_it_had(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded(retry={"attempts": 1, "backoff_s": 0}))
    stage.run(finished(begun(stage, 60), "failed"), "tenant", TENANT)
    stage.run(finished(begun(stage, 61), "failed"), "tenant", TENANT)
    stage.run(define("a", folded()), "tenant", TENANT)
    stage.at(NOON + timedelta(seconds=120))
    assert stage.run(claim_all()).skipped == 1
    assert stage.ask("SELECT failures FROM ledger.occurrence WHERE reason = 'backoff'") == [(1,)]


def test_a_run_handed_back_says_so_and_the_third_time_is_a_failure(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded(retry={"attempts": 5}))
    runs = []
    for second in (60, 61, 62):
        runs.append(begun(stage, second))
        stage.run(handed_back(runs[-1]))
    assert [(column(stage, key, "state"), column(stage, key, "reason")) for key in runs] == [
        ("cancelled", "unhanded"),
        ("cancelled", "unhanded"),
        ("failed", "unhanded 3 times in a row"),
    ]
    assert not stage.ask("SELECT 1 FROM ledger.occurrence WHERE state = 'pending' AND lane <> 'series'")


def test_a_run_of_a_task_that_is_off_says_that_no_retry_follows(stage: Stage) -> None:
    for how in ("failed", "handed back"):
        stage.clear()
        stage.at(NOON)
        defined(stage, "a", folded(retry={"attempts": 5}))
        key = begun(stage, 60)
        stage.run(switch("a", "disable"), "tenant", TENANT)
        stage.run(finished(key, "failed") if how == "failed" else handed_back(key))
        assert "no retry: the task is disabled or deleted" in str(column(stage, key, "reason"))
        assert not stage.ask("SELECT 1 FROM ledger.occurrence WHERE state = 'pending'")


def test_a_retry_derived_anew_has_a_history_of_its_own(stage: Stage) -> None:
    """What was retired and revived under another text was another row."""
    old, new = folded("old", retry={"attempts": 5}), folded("new", retry={"attempts": 5})
    stage.at(NOON)
    defined(stage, "a", old)
    stage.run(handed_back(begun(stage, 60)))
    for what in (new, old, new):
        stage.at(stage.now + timedelta(seconds=1))
        stage.run(define("a", what), "tenant", TENANT)
    key = key_of(stage, "a", wake="retry:1")
    history = column(stage, key, "history")
    assert isinstance(history, list)
    kinds = [kind for entry in history for kind in ("unhanded", "retired", "revived") if kind in entry]
    assert kinds == ["unhanded", "retired", "revived"]


def test_one_act_says_of_each_row_what_was_done_to_its_task(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "b", folded("old", entrypoint="b"))
    asks = [
        Wanted("a", "define", folded()),
        Wanted("b", "define", folded("new", entrypoint="b")),
    ]
    stage.run(act(TENANT, asks, "a person"), "tenant", TENANT)
    assert stage.ask("SELECT task, state, reason, made_by FROM ledger.occurrence ORDER BY task, state") == [
        ("a", "pending", None, "define"),
        ("b", "pending", None, "edit"),
        ("b", "retired", "edit", "define"),
    ]


def test_a_finish_counts_once_though_one_batch_says_it_twice(stage: Stage) -> None:
    """I7: the first counts, and the other leaves evidence."""
    stage.at(NOON)
    defined(stage, "a", folded(retry={"attempts": 1}))
    key = begun(stage, 60)
    twice = [Closing(TENANT, "a", key, state, "finish", by="a runtime") for state in ("succeeded", "failed")]
    answer = stage.run(close(twice), "tenant", TENANT)
    assert ([row.key for row in answer.counted], answer.late) == ([key], [twice[1]])
    assert column(stage, key, "state") == "succeeded"
    assert not answer.retries
    assert len(stage.ask("SELECT 1 FROM ledger.evidence WHERE key = %s", [key])) == 1


def test_a_success_that_comes_too_late_frees_nothing(stage: Stage) -> None:
    """What waits for the run that is under way now goes on waiting for it."""
    stage.at(NOON)
    defined(stage, "a", folded())
    first = begun(stage, 60)
    stage.run(finished(first, "succeeded"), "tenant", TENANT)
    begun(stage, 120)
    stage.run(run_now(TENANT, "a", "r1", "a person"), "tenant", TENANT)
    assert stage.run(claim_all()).waiting == 1
    answer = stage.run(close([Closing(TENANT, "a", first, "succeeded", "finish", by="a runtime")]))
    assert (answer.counted, len(answer.late), answer.wait) == ([], 1, None)
    waits = "SELECT count(*) FROM ledger.occurrence WHERE state = 'pending' AND blocked_by IS NOT NULL"
    assert stage.ask(waits) == [(1,)]
