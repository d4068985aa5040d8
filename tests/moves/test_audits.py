"""Each audit of decisions speaks where the book is changed behind the ledger's back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from projector.moves.hint import Wish, hint
from tests.moves.acting import TENANT, claim_all, define, folded
from tests.moves.audits import broken
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")
EVERY_FIVE: dict[str, object] = {"every_s": 300}
BROKEN = {
    "a bound": "UPDATE ledger.occurrence SET base = base + interval '1 s' WHERE task = 'a'",
    "an instant": "UPDATE ledger.occurrence SET source = 'ai-interval' WHERE task = 'b'",
    "a slot": "UPDATE ledger.occurrence SET passed = NULL WHERE task = 'b' AND passed IS NOT NULL",
    "a pause": "UPDATE ledger.occurrence SET due = due - interval '1 h' WHERE task = 'b'",
    "a wish": "UPDATE ledger.occurrence SET trail = NULL WHERE task = 'c' AND trail IS NOT NULL",
    "a hint": "UPDATE ledger.hint SET consumed_by = NULL",
    "a run": "UPDATE ledger.hint SET consumed_by = gen_random_uuid()",
}


@pytest.fixture
def decided(stage: Stage) -> Stage:
    """A bound, a pause, and a one-shot that has had its run."""
    stage.at(NOON)
    for task, members in (
        ("a", {"min_interval_s": 1_000}),
        ("b", {"paused_until": "2026-06-01T12:20:30.000000Z"}),
        ("c", {}),
    ):
        stage.run(define(task, folded(task, EVERY_FIVE, entrypoint=task, **members)), "tenant", TENANT)
    wish = Wish(None, NOON + timedelta(seconds=70), timedelta(hours=1))
    stage.run(hint(TENANT, "c", wish, "a planner"), "tenant", TENANT)
    stage.at(NOON + timedelta(seconds=71))
    assert len(stage.run(claim_all()).started) == 1
    assert not broken(stage)
    return stage


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_said(decided: Stage, what: str) -> None:
    decided.ask(BROKEN[what])
    assert [line for line in broken(decided) if line.startswith(("I8", "I10"))]
