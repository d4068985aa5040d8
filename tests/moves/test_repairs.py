"""What is derived again is what was there: the repair, whatever came before the row that is missing."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sweeper.moves.tenant import sweep_tenant
from tests.moves.acting import TENANT, claim_all, define, defined, finished, folded, key_of, repaired
from tests.moves.audits import broken
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")
DERIVED = "key, due, run_at, after, base, predecessor, source, trail, passed"


def taken_away_and_repaired(stage: Stage, key: UUID) -> None:
    """The row goes, the repair runs, and the very row stands there again."""
    asked = f"SELECT {DERIVED} FROM ledger.occurrence WHERE key = %s"  # noqa: S608 - the columns are named above
    (before,) = stage.ask(asked, [key])
    stage.ask("DELETE FROM ledger.occurrence WHERE key = %s", [key])
    stage.at(stage.now + timedelta(seconds=1))
    stage.run(repaired("a"), "sweeper")
    assert stage.ask(asked, [key]) == [before]
    assert not broken(stage)


def test_the_first_row_of_a_series_is_derived_again(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    taken_away_and_repaired(stage, key_of(stage, "a"))


def test_the_successor_of_a_run_is_derived_again(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded())
    stage.at(NOON + timedelta(minutes=7))
    stage.run(claim_all())
    taken_away_and_repaired(stage, key_of(stage, "a"))


def test_the_successor_of_a_slot_that_backed_off_is_derived_again(stage: Stage) -> None:
    """Its successor is the first grid slot not before the gate, whoever derives it."""
    backed_off(stage)
    key = key_of(stage, "a")
    assert stage.ask("SELECT due, passed FROM ledger.occurrence WHERE key = %s", [key]) == [
        (
            NOON + timedelta(minutes=7),
            [
                {
                    "first": "2026-06-01T12:05:00.000000Z",
                    "last": "2026-06-01T12:06:00.000000Z",
                    "count": 2,
                    "reason": "backoff",
                }
            ],
        )
    ]
    taken_away_and_repaired(stage, key)


def test_an_act_after_a_slot_that_backed_off_resumes_without_the_gate(stage: Stage) -> None:
    """The act's word is newer: what its series resumes with is derived again, too."""
    backed_off(stage)
    stage.at(NOON + timedelta(minutes=4, seconds=30))
    stage.run(define("a", folded("new")), "tenant", TENANT)
    key = key_of(stage, "a")
    assert stage.ask("SELECT due FROM ledger.occurrence WHERE key = %s", [key]) == [
        (NOON + timedelta(minutes=5),)
    ]
    taken_away_and_repaired(stage, key)


def backed_off(stage: Stage) -> None:
    """The slots of 12:01 and 12:03 failed, and that of 12:02 was skipped: no slot starts before 12:03 and
    four minutes, so that of 12:04 is skipped as well.
    """
    stage.at(NOON)
    defined(stage, "a", folded())
    for minute, starts in ((1, True), (2, False), (3, True), (4, False)):
        stage.at(NOON + timedelta(minutes=minute))
        started = stage.run(claim_all()).started
        assert bool(started) == starts
        for run in started:
            stage.run(finished(run.key, "failed"), "tenant", TENANT)


def test_a_row_that_lies_about_its_facts_is_put_right(stage: Stage) -> None:
    """I1: the sweep retires it with evidence, and what its key is derived from stands beside it again."""
    stage.at(NOON)
    defined(stage, "a", folded())
    key = key_of(stage, "a")
    stage.ask("UPDATE ledger.occurrence SET agent = 'another' WHERE key = %s", [key])
    assert [line.partition(":")[0] for line in broken(stage)] == ["I1"]
    verdict = stage.run(sweep_tenant(TENANT, 1, {}, 1), "sweeper", TENANT)
    assert (verdict.word, dict(verdict.repairs)) == ("repaired", {"misnamed": 1})
    assert key_of(stage, "a") == key
    assert not broken(stage)
    again = stage.run(sweep_tenant(TENANT, 1, {}, 2), "sweeper", TENANT)
    assert (again.word, dict(again.repairs)) == ("healthy", {})
