"""`misfire.catch_up: all`: each missed slot in turn, the newest `limit` at most (I8, I10, I18)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from projector.moves.hint import Wish, hint
from tests.moves.acting import TENANT, claim_all, define, defined, finished, folded, repaired, switch
from tests.moves.audits import broken
from tests.moves.stage import Stage
from tests.projector.hinting import MINUTE, NOON

SECOND = timedelta(seconds=1)
ALL: dict[str, object] = {"catch_up": "all"}


def task(stage: Stage, misfire: dict[str, object] = ALL, **members: object) -> None:
    """A slot every minute from noon on, of which the first comes a minute later."""
    stage.at(NOON)
    defined(stage, "a", folded(misfire=misfire, **members))


def ran(stage: Stage, most: int = 20, how: str = "succeeded") -> list[float]:
    """Claim until nothing is due, each run over at once: the slots that started, in minutes after noon."""
    found = []
    for _ in range(most):
        claimed = stage.run(claim_all())
        if not claimed.looked_at:
            break
        for run in claimed.started:
            found.append((run.due - NOON) / MINUTE)
            stage.run(finished(run.key, how), "tenant", TENANT)
    return found


def rows(stage: Stage) -> list[tuple[object, ...]]:
    """Each row that was skipped or passes slots over: its slot, why, and from where to where it passes."""
    found = stage.ask(
        "SELECT due, reason, passed FROM ledger.occurrence"
        " WHERE state = 'skipped' OR passed IS NOT NULL ORDER BY due"
    )
    told = []
    for due, reason, passed in found:
        assert passed is None or isinstance(passed, list)
        over = [
            (one["first"][11:16], one["last"][11:16], one["count"], one["reason"]) for one in passed or ()
        ]
        told.append(((due - NOON) // MINUTE, reason, over))
    return told


def test_each_missed_slot_runs_in_turn(stage: Stage) -> None:
    task(stage)
    stage.at(NOON + 5 * MINUTE + SECOND)
    assert ran(stage) == [1, 2, 3, 4, 5]
    assert rows(stage) == []
    assert not broken(stage)


@pytest.mark.parametrize(
    ("limit", "turns", "told"),
    [
        (10, list(range(1, 11)), []),
        (9, list(range(2, 11)), [(1, "misfire", [])]),
        (3, [8, 9, 10], [(1, "misfire", []), (8, None, [("12:02", "12:07", 6, "misfire")])]),
        (1, [10], [(1, "misfire", []), (10, None, [("12:02", "12:09", 8, "misfire")])]),
    ],
)
def test_the_newest_run_and_the_others_are_kept_as_passed(
    stage: Stage, limit: int, turns: list[int], told: list[tuple[object, ...]]
) -> None:
    task(stage, {"catch_up": "all", "limit": limit})
    stage.at(NOON + 10 * MINUTE + SECOND)
    assert ran(stage) == turns
    assert rows(stage) == told
    assert not broken(stage)


def test_a_hundred_where_nothing_is_said(stage: Stage) -> None:
    task(stage)
    stage.at(NOON + 150 * MINUTE)
    assert ran(stage, 1) == [51]
    assert rows(stage) == [(1, "misfire", []), (51, None, [("12:02", "12:50", 49, "misfire")])]
    assert not broken(stage)


def test_slots_that_are_missed_again_meanwhile_are_bounded_as_well(stage: Stage) -> None:
    """The limit counts from now, whatever has run: a task that never keeps up is never further behind."""
    task(stage, {"catch_up": "all", "limit": 3})
    stage.at(NOON + 3 * MINUTE)
    assert ran(stage, 1) == [1]
    stage.at(NOON + 8 * MINUTE)
    assert ran(stage) == [6, 7, 8]
    assert rows(stage) == [(2, "misfire", []), (6, None, [("12:03", "12:05", 3, "misfire")])]
    assert not broken(stage)


def test_a_run_in_the_way_has_each_of_them_skipped(stage: Stage) -> None:
    task(stage)
    stage.at(NOON + 4 * MINUTE)
    (run,) = stage.run(claim_all()).started
    assert ran(stage) == []
    assert rows(stage) == [(n, "overlap", []) for n in (2, 3, 4)]
    blockers = stage.ask("SELECT DISTINCT blocked_by FROM ledger.occurrence WHERE state = 'skipped'")
    assert blockers == [(run.key,)]
    assert not broken(stage)


def test_what_is_later_than_its_grace_is_not_run_in_this_mode_either(stage: Stage) -> None:
    """Its row is skipped, and the next one passes over all that are too late with it."""
    task(stage, {"catch_up": "all", "grace_s": 150})
    stage.at(NOON + 10 * MINUTE + SECOND)
    assert ran(stage) == [8, 9, 10]
    assert rows(stage) == [(1, "misfire", []), (8, None, [("12:02", "12:07", 6, "misfire")])]
    assert not broken(stage)


def test_the_repair_passes_over_what_was_too_late_as_well(stage: Stage) -> None:
    """The drill's promise: the same row under the same key."""
    task(stage, {"catch_up": "all", "grace_s": 150})
    stage.at(NOON + 10 * MINUTE + SECOND)
    stage.run(claim_all())
    before = stage.ask("SELECT key, passed, trail FROM ledger.occurrence WHERE state = 'pending'")
    stage.ask("DELETE FROM ledger.occurrence WHERE state = 'pending'")
    stage.at(NOON + 11 * MINUTE)
    stage.run(repaired("a"), "sweeper")
    assert stage.ask("SELECT key, passed, trail FROM ledger.occurrence WHERE state = 'pending'") == before


def test_failures_hold_missed_slots_back(stage: Stage) -> None:
    """Slot 1 fails at 12:05: nothing before 12:07, so slot 2 is skipped and slot 7 follows it."""
    task(stage)
    stage.at(NOON + 5 * MINUTE)
    assert ran(stage, how="failed") == [1]
    assert rows(stage) == [(2, "backoff", []), (7, None, [("12:03", "12:06", 4, "backoff")])]
    assert not broken(stage)


def test_nothing_is_missed_while_a_task_is_off(stage: Stage) -> None:
    task(stage)
    stage.at(NOON + 150 * SECOND)
    stage.run(switch("a", "disable"), "tenant", TENANT)
    stage.at(NOON + 10 * MINUTE)
    stage.run(switch("a", "enable"), "tenant", TENANT)
    stage.at(NOON + 11 * MINUTE + SECOND)
    assert ran(stage) == [11]
    assert not broken(stage)


def test_an_edit_loses_none_that_were_missed(stage: Stage) -> None:
    """I11: those that both versions hold run under the new one, from the first on."""
    task(stage)
    stage.at(NOON + 3 * MINUTE + SECOND)
    stage.run(define("a", folded("new", misfire=ALL)), "tenant", TENANT)
    assert ran(stage) == [1, 2, 3]
    assert not broken(stage)


def test_an_interval_hint_passes_over_what_was_missed(stage: Stage) -> None:
    """It counts from a start that comes late; what lies between is in the row that it puts there."""
    task(stage)
    stage.run(hint(TENANT, "a", Wish(2 * MINUTE, None, timedelta(hours=4)), "a planner"), "tenant", TENANT)
    stage.at(NOON + 6 * MINUTE + 30 * SECOND)
    assert ran(stage, 1) == [2]
    assert rows(stage)[-1] == (8, None, [("12:03", "12:08", 6, "hint")])
    assert not broken(stage)
