"""Hints where runs start, rows are repaired and tasks are edited."""

from __future__ import annotations

from datetime import timedelta

import pytest

from projector.moves.cancel import cancel
from projector.moves.hint import withdraw
from projector.moves.start import start
from tests.moves.acting import TENANT, claim_all, defined, finished, folded, key_of, repaired
from tests.moves.audits import broken
from tests.moves.stage import Stage
from tests.projector.hinting import HOUR, HOURLY, MINUTE, NOON, asked, every, hints, once, open_row, ran

# --- Starts --------------------------------------------------------------------------------------


def test_the_successor_at_the_start_sees_the_hint(hourly: Stage) -> None:
    asked(hourly, every(10))
    ran(hourly, 10 * MINUTE + timedelta(seconds=2))
    assert open_row(hourly) == (
        NOON + 20 * MINUTE + timedelta(seconds=2),
        "hint",
        "ai-interval",
        "interval",
    )
    assert not broken(hourly)


def test_an_expired_hint_counts_for_no_further_row(hourly: Stage) -> None:
    asked(hourly, every(10, 15 * MINUTE))
    ran(hourly, 10 * MINUTE)
    assert open_row(hourly).due == NOON + 20 * MINUTE, "it was fresh when this row was derived"
    ran(hourly, 20 * MINUTE)
    assert open_row(hourly) == (NOON + HOUR, "schedule", "baseline-interval", None)
    assert not broken(hourly)


def test_a_one_shot_is_consumed_by_the_start_of_its_row(hourly: Stage) -> None:
    asked(hourly, once(5 * MINUTE))
    key = ran(hourly, 5 * MINUTE)
    assert [row[3] for row in hints(hourly)] == [key]
    assert open_row(hourly) == (NOON + HOUR, "schedule", "baseline-interval", None)
    assert not broken(hourly)


def test_a_one_shot_put_before_its_instant_by_a_bound_is_consumed_too(stage: Stage) -> None:
    stage.at(NOON)
    defined(stage, "a", folded(schedule=HOURLY, max_interval_s=600))
    asked(stage, once(30 * MINUTE))
    assert open_row(stage) == (NOON + 10 * MINUTE, "hint", "clamped-max", "oneshot")
    key = ran(stage, 10 * MINUTE)
    assert [row[3] for row in hints(stage)] == [key]
    assert open_row(stage) == (NOON + 20 * MINUTE, "schedule", "clamped-max", None)
    assert not broken(stage)


def test_a_one_shot_beside_a_sooner_interval_stays(hourly: Stage) -> None:
    asked(hourly, once(15 * MINUTE))
    asked(hourly, every(10))
    ran(hourly, 10 * MINUTE)
    assert [row[3] for row in hints(hourly)] == [None, None]
    assert open_row(hourly).due == NOON + 15 * MINUTE
    ran(hourly, 15 * MINUTE)
    assert open_row(hourly).due == NOON + 25 * MINUTE
    assert not broken(hourly)


def test_a_one_shot_on_the_slot_itself_does_not_run_it_twice(hourly: Stage) -> None:
    asked(hourly, once(HOUR))
    assert open_row(hourly).wake == "schedule"
    key = ran(hourly, HOUR + timedelta(seconds=1))
    assert open_row(hourly).due == NOON + 2 * HOUR
    assert [row[3] for row in hints(hourly)] == [key]


def test_a_one_shot_whose_row_is_skipped_is_over_as_well(hourly: Stage) -> None:
    """A run in its way: the row says so, and no other comes at once in its place, again and again (I18)."""
    asked(hourly, every(10))
    hourly.at(NOON + 10 * MINUTE)
    hourly.run(claim_all())
    asked(hourly, withdraw(TENANT, "a", "interval", "anna"))
    asked(hourly, once(15 * MINUTE))
    hourly.at(NOON + 15 * MINUTE)
    claimed = hourly.run(claim_all())
    assert (len(claimed.started), claimed.skipped) == (0, 1)
    assert open_row(hourly) == (NOON + HOUR, "schedule", "baseline-interval", None)
    assert not broken(hourly)


def test_a_cancelled_one_shot_does_not_come_back(hourly: Stage) -> None:
    asked(hourly, once(5 * MINUTE))
    hourly.at(NOON + 6 * MINUTE)
    hourly.run(cancel(TENANT, key_of(hourly, "a", wake="hint"), "anna"), "tenant", TENANT)
    assert open_row(hourly).due == NOON + HOUR
    assert not broken(hourly)


def test_a_one_shot_given_again_after_its_row_was_cancelled_runs_at_once(hourly: Stage) -> None:
    """I10: the first giving has its disposition; the second, of an instant that has passed, is for now."""
    asked(hourly, once(5 * MINUTE))
    hourly.at(NOON + 6 * MINUTE)
    hourly.run(cancel(TENANT, key_of(hourly, "a", wake="hint"), "anna"), "tenant", TENANT)
    hourly.at(NOON + 7 * MINUTE)
    answer = asked(hourly, once(5 * MINUTE))
    assert (answer.next, answer.source) == (NOON + 7 * MINUTE, "ai-oneshot")
    assert [row[1] for row in hints(hourly)] == [NOON + 7 * MINUTE]
    hourly.at(NOON + 8 * MINUTE)
    again = asked(hourly, once(5 * MINUTE))
    assert (again.next, again.key) == (answer.next, answer.key), "while that is to come, it is renewed (I15)"
    (run,) = hourly.run(claim_all()).started
    assert run.key == answer.key
    assert not broken(hourly)


def test_the_newest_slot_runs_in_the_place_of_a_late_hint(hourly: Stage) -> None:
    """`latest`: after a row off the rule the slots are the rule's own."""
    asked(hourly, every(10))
    late = key_of(hourly, "a", wake="hint")
    hourly.at(NOON + 3 * HOUR + 5 * MINUTE)
    (run,) = hourly.run(claim_all()).started
    assert (run.due, run.wake) == (NOON + 3 * HOUR, "schedule")
    assert hourly.ask("SELECT state, reason FROM ledger.occurrence WHERE key = %s", [late]) == [
        ("skipped", "misfire")
    ]
    assert hourly.ask(
        "SELECT passed #>> '{0,count}', wake FROM ledger.occurrence WHERE key = %s", [run.key]
    ) == [("2", "schedule")]
    assert open_row(hourly).due == NOON + 3 * HOUR + 15 * MINUTE
    assert not broken(hourly)


def test_a_late_hint_with_no_newer_slot_runs_itself(hourly: Stage) -> None:
    asked(hourly, every(10))
    hourly.at(NOON + 50 * MINUTE)
    (run,) = hourly.run(claim_all()).started
    assert (run.due, run.wake) == (NOON + 10 * MINUTE, "hint")
    assert not broken(hourly)


def test_a_runtime_of_its_own_starts_a_hinted_row(stage: Stage) -> None:
    """As the tenant's role, which marks the one-shot as well."""
    stage.at(NOON)
    defined(stage, "a", folded(schedule=HOURLY, delivery="pull"))
    asked(stage, once(5 * MINUTE))
    key = key_of(stage, "a", wake="hint")
    stage.at(NOON + 5 * MINUTE)
    stage.run(start(TENANT, key), "tenant", TENANT)
    assert [row[3] for row in hints(stage)] == [key]
    assert not broken(stage)


# --- Repairs and edits ---------------------------------------------------------------------------

DERIVED = "key, due, run_at, wake, after, base, predecessor, source, trail, passed"


@pytest.mark.parametrize(
    "members",
    [{}, {"min_interval_s": 1200}, {"max_interval_s": 300}, {"paused_until": "2026-06-01T14:30:00Z"}],
    ids=["plain", "min", "max", "paused"],
)
@pytest.mark.parametrize("given", ["none", "interval", "oneshot", "both"])
def test_the_repair_derives_the_very_row(stage: Stage, members: dict[str, object], given: str) -> None:
    """After an act, and after a run; long after the hints have expired, too."""
    stage.at(NOON)
    defined(stage, "a", folded("", HOURLY, **members))
    if given in ("interval", "both"):
        asked(stage, every(10))
    if given in ("oneshot", "both"):
        asked(stage, once(25 * MINUTE))
    for _ in range(2):
        stage.at(stage.now + timedelta(days=2))
        before = stage.ask(f"SELECT {DERIVED} FROM ledger.occurrence WHERE state = 'pending'")  # noqa: S608
        stage.ask("DELETE FROM ledger.occurrence WHERE state = 'pending'")
        stage.run(repaired("a"), "sweeper")
        assert stage.ask(f"SELECT {DERIVED} FROM ledger.occurrence WHERE state = 'pending'") == before  # noqa: S608
        assert not broken(stage)
        stage.at(open_row(stage).due)
        (run,) = stage.run(claim_all()).started
        stage.run(finished(run.key), "tenant", TENANT)


def test_a_hint_survives_edits(hourly: Stage) -> None:
    asked(hourly, every(10))
    hourly.at(NOON + 3 * MINUTE)
    defined(hourly, "a", folded("another", HOURLY))
    assert open_row(hourly) == (NOON + 10 * MINUTE, "hint", "ai-interval", "interval")
    assert not broken(hourly)


@pytest.mark.parametrize("ran_before", [False, True])
@pytest.mark.parametrize("how", ["hint", "min", "max"])
def test_edits_put_off_nothing_that_is_off_the_rule(stage: Stage, how: str, ran_before: bool) -> None:
    """I11: not before it comes, nor once it has come and waits; however often the task is edited."""
    members: dict[str, object] = {} if how == "hint" else {f"{how}_interval_s": 1500}
    schedule: dict[str, object] = {"every_s": 600} if how == "min" else HOURLY
    stage.at(NOON)
    defined(stage, "a", folded("0", schedule, **members))
    begun = NOON
    if ran_before:
        stage.at(open_row(stage).due)
        (run,) = stage.run(claim_all()).started
        stage.run(finished(run.key), "tenant", TENANT)
        begun = stage.now
    if how == "hint":
        asked(stage, every(25))
    for n in range(1, 5):
        stage.at(begun + n * 7 * MINUTE)
        defined(stage, "a", folded(str(n), schedule, **members))
        assert open_row(stage).due == begun + 25 * MINUTE, n
        assert not broken(stage)
    (run,) = stage.run(claim_all()).started
    assert run.due == begun + 25 * MINUTE


def test_an_open_row_off_the_rule_does_not_stand_where_the_edit_says_otherwise(hourly: Stage) -> None:
    asked(hourly, every(10))
    hourly.at(NOON + 12 * MINUTE)
    defined(hourly, "a", folded("slower", HOURLY, min_interval_s=1800))
    assert open_row(hourly) == (NOON + 30 * MINUTE, "hint", "clamped-min", "interval")
    assert not broken(hourly)
