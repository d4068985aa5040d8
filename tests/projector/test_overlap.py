"""Slots that come while another run of their task is in the way: `queue`, `allow` and `replace`.

Holds I4, I6, I7, I8 and I18 for each: what runs, what waits and why, and that whoever waits has a turn.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from ledger.errors import NotStarted
from projector.moves.cancel import cancel
from projector.moves.hint import Wish, hint
from projector.moves.request import run_now
from projector.moves.start import Claimed, start
from sweeper.moves.tenant import sweep_tenant
from tests.moves.acting import TENANT, claim_all, define, defined, finished, folded, key_of
from tests.moves.audits import broken
from tests.moves.stage import Stage
from tests.projector.hinting import MINUTE, NOON

SECOND = timedelta(seconds=1)


def task(stage: Stage, overlap: str, **members: object) -> None:
    """A slot every minute from noon on, of which the first comes a minute later."""
    stage.at(NOON)
    defined(stage, "a", folded(overlap=overlap, **members))


def claimed(stage: Stage, later: timedelta) -> Claimed:
    stage.at(NOON + later)
    return stage.run(claim_all())


def slots(found: Claimed) -> list[float]:
    """The slots that started, in minutes after noon."""
    return [(run.due - NOON) / MINUTE for run in found.started]


def ended(stage: Stage, key: UUID, how: str = "succeeded") -> None:
    stage.run(finished(key, how), "tenant", TENANT)


def asked(stage: Stage, request: str = "r1") -> UUID:
    return stage.run(run_now(TENANT, "a", request, "a person"), "tenant", TENANT).key


def stands(stage: Stage) -> list[tuple[object, ...]]:
    """Each row of the series: its slot in minutes after noon, its state, and why."""
    found = stage.ask("SELECT due, state, reason FROM ledger.occurrence WHERE lane = 'series' ORDER BY due")
    return [((due - NOON) // MINUTE, *rest) for due, *rest in found if isinstance(due, datetime)]


def test_queue_lets_a_slot_wait_and_opens_nothing_behind_it(stage: Stage) -> None:
    """I4: the slot that waits is the series' open row, outside of what is due."""
    task(stage, "queue")
    (run,) = claimed(stage, 1 * MINUTE).started
    found = claimed(stage, 2 * MINUTE)
    assert (found.started, found.waiting) == ([], 1)
    assert stage.ask("SELECT blocked_by, queued, freed FROM ledger.occurrence WHERE state = 'pending'") == [
        (run.key, NOON + 2 * MINUTE, None)
    ]
    assert stands(stage) == [(1, "running", None), (2, "pending", "waiting")]
    assert claimed(stage, 3 * MINUTE).looked_at == 0
    by_key = stage.run(start(TENANT, key_of(stage, "a")))
    assert isinstance(by_key, NotStarted)
    assert by_key.reason == "waiting"
    assert not broken(stage)


@pytest.mark.parametrize(
    ("misfire", "turns"),
    [
        # The newest in the place of the one that waited.
        ({}, [[5]]),
        ({"catch_up": "all"}, [[2], [3], [4], [5]]),
        ({"catch_up": "all", "limit": 2}, [[4], [5]]),
        # The one that waited was not late; those behind it never waited, and the last is within its minute.
        ({"catch_up": "none"}, [[2], [], [5]]),
    ],
)
def test_catch_up_says_which_slot_has_its_turn(
    stage: Stage, misfire: dict[str, object], turns: list[list[int]]
) -> None:
    task(stage, "queue", misfire=misfire)
    (run,) = claimed(stage, 1 * MINUTE).started
    claimed(stage, 2 * MINUTE)
    stage.at(NOON + 5 * MINUTE + 10 * SECOND)
    ended(stage, run.key)
    for n, turn in enumerate(turns):
        found = claimed(stage, 5 * MINUTE + (11 + n) * SECOND)
        assert slots(found) == turn, n
        for one in found.started:
            ended(stage, one.key)
    assert [row for row in stands(stage) if row[1] == "pending"] == [(6, "pending", None)]
    assert not broken(stage)


@pytest.mark.parametrize(("late", "runs"), [(30, True), (31, False)])
def test_the_time_for_which_a_slot_waited_is_no_lateness(stage: Stage, late: int, runs: bool) -> None:
    """Ten seconds before it was looked at, twenty after it was free: thirty, of an hour in the queue."""
    task(stage, "queue", misfire={"catch_up": "all", "grace_s": 30})
    (run,) = claimed(stage, 1 * MINUTE).started
    claimed(stage, 2 * MINUTE + 10 * SECOND)
    stage.at(NOON + 62 * MINUTE)
    ended(stage, run.key)
    assert slots(claimed(stage, 62 * MINUTE + (late - 10) * SECOND)) == ([2] if runs else [])
    ((state, reason),) = stage.ask(
        "SELECT state, reason FROM ledger.occurrence WHERE due = %s", [NOON + 2 * MINUTE]
    )
    assert (state, reason) == (("running", None) if runs else ("skipped", "misfire"))
    assert not broken(stage)


@pytest.mark.parametrize(("late", "runs"), [(20, True), (21, False)])
def test_the_newest_slot_is_late_from_when_it_could_have_run(stage: Stage, late: int, runs: bool) -> None:
    """It came while the row in whose place it runs waited: only what lay after that counts."""
    task(stage, "queue", misfire={"grace_s": 20}, schedule={"every_s": 600})
    (run,) = claimed(stage, 10 * MINUTE).started
    claimed(stage, 20 * MINUTE)
    stage.at(NOON + 35 * MINUTE)
    ended(stage, run.key)
    assert slots(claimed(stage, 35 * MINUTE + late * SECOND)) == ([30] if runs else [])
    assert not broken(stage)


def test_a_slot_that_has_to_wait_again_has_waited_all_the_time(stage: Stage) -> None:
    task(stage, "queue", misfire={"catch_up": "all", "grace_s": 30})
    (run,) = claimed(stage, 1 * MINUTE).started
    claimed(stage, 2 * MINUTE)
    stage.at(NOON + 10 * MINUTE)
    ended(stage, run.key)
    request = asked(stage)
    stage.run(start(TENANT, request))
    assert claimed(stage, 10 * MINUTE).waiting == 1
    stage.at(NOON + 20 * MINUTE)
    ended(stage, request)
    assert slots(claimed(stage, 20 * MINUTE + 30 * SECOND)) == [2]
    assert not broken(stage)


def test_a_slot_whose_turn_passes_makes_room_for_the_next(stage: Stage) -> None:
    """I18: it was too late when its turn came; the request behind it waits for nothing, and runs."""
    task(stage, "queue", misfire={"grace_s": 20}, schedule={"every_s": 600})
    (run,) = claimed(stage, 10 * MINUTE).started
    claimed(stage, 20 * MINUTE)
    stage.at(NOON + 21 * MINUTE)
    request = asked(stage)
    claimed(stage, 21 * MINUTE)
    ended(stage, run.key)
    assert claimed(stage, 22 * MINUTE).skipped == 1
    assert [one.key for one in claimed(stage, 22 * MINUTE).started] == [request]
    assert not broken(stage)


def test_slots_and_requests_have_their_turns_in_the_order_of_their_times(stage: Stage) -> None:
    task(stage, "queue", misfire={"catch_up": "all"})
    (run,) = claimed(stage, 1 * MINUTE).started
    claimed(stage, 2 * MINUTE)
    stage.at(NOON + 150 * SECOND)
    asked(stage)
    claimed(stage, 3 * MINUTE)
    order = []
    for n in range(4):
        stage.at(NOON + (240 + n) * SECOND)
        ended(stage, run.key)
        (run,) = stage.run(claim_all()).started
        # What came meanwhile waits behind it.
        stage.run(claim_all())
        order.append(((run.due - NOON) / MINUTE, run.wake))
    assert order == [(2.0, "schedule"), (2.5, "manual:r1"), (3.0, "schedule"), (4.0, "schedule")]
    assert not broken(stage)


def test_a_slot_that_waits_for_a_run_that_has_gone_is_set_free_by_the_sweep(stage: Stage) -> None:
    task(stage, "queue")
    (run,) = claimed(stage, 1 * MINUTE).started
    claimed(stage, 2 * MINUTE)
    # Closed behind the ledger's back, so that nobody was freed.
    stage.ask(
        "UPDATE ledger.occurrence SET state = 'succeeded', closed = started, closed_by = 'x' WHERE key = %s",
        [run.key],
    )
    stage.at(NOON + 2 * MINUTE + SECOND)
    verdict = stage.run(sweep_tenant(TENANT, 1, {}, 1), "sweeper", TENANT)
    assert dict(verdict.repairs) == {"waiting": 1}
    assert slots(stage.run(claim_all())) == [2]
    assert not broken(stage)


def test_allow_starts_each_slot_beside_the_others(stage: Stage) -> None:
    """I3, I8: as many run as have come, and one row of the series is open."""
    task(stage, "allow")
    for minute in (1, 2, 3):
        assert slots(claimed(stage, minute * MINUTE)) == [minute]
    assert stands(stage) == [*((n, "running", None) for n in (1, 2, 3)), (4, "pending", None)]
    assert not broken(stage)


def test_requests_wait_under_allow_until_nothing_of_the_task_runs(stage: Stage) -> None:
    task(stage, "allow")
    runs = [claimed(stage, minute * MINUTE).started[0].key for minute in (1, 2)]
    stage.at(NOON + 130 * SECOND)
    request = asked(stage)
    for key in runs:
        assert not stage.run(claim_all()).started
        ended(stage, key)
    assert [one.key for one in stage.run(claim_all()).started] == [request]
    assert not broken(stage)


def test_replace_cancels_what_runs_for_the_slot_that_starts(stage: Stage) -> None:
    """I6, I7, I18: its reason names what took its place; it is not retried, and ends too late."""
    task(stage, "replace", retry={"attempts": 3, "on": ["failed", "lost", "timed_out"]})
    (old,) = claimed(stage, 1 * MINUTE).started
    found = claimed(stage, 2 * MINUTE)
    (new,) = found.started
    assert (new.due, found.replaced) == (NOON + 2 * MINUTE, [old.key])
    assert stage.ask(
        "SELECT state, outcome, reason, closed, closed_by FROM ledger.occurrence WHERE key = %s", [old.key]
    ) == [("cancelled", "cancelled", f"replaced by {new.key}", NOON + 2 * MINUTE, "incarnation 7")]
    assert stands(stage)[1:] == [(2, "running", None), (3, "pending", None)]
    ended(stage, old.key, "failed")
    assert stage.ask("SELECT key, what FROM ledger.evidence") == [(old.key, "late finish")]
    assert stage.ask("SELECT count(*) FROM ledger.occurrence") == [(3,)]
    assert not broken(stage)


def test_what_waits_for_a_run_that_is_replaced_waits_for_its_successor(stage: Stage) -> None:
    task(stage, "replace")
    claimed(stage, 1 * MINUTE)
    stage.at(NOON + 90 * SECOND)
    request = asked(stage)
    assert stage.run(claim_all()).waiting == 1
    (new,) = claimed(stage, 2 * MINUTE).started
    assert claimed(stage, 2 * MINUTE + SECOND).waiting == 1
    assert stage.ask("SELECT blocked_by FROM ledger.occurrence WHERE key = %s", [request]) == [(new.key,)]
    ended(stage, new.key)
    assert [one.key for one in stage.run(claim_all()).started] == [request]
    assert not broken(stage)


def test_a_slot_that_does_not_start_replaces_nothing(stage: Stage) -> None:
    task(stage, "replace", misfire={"grace_s": 10})
    (run,) = claimed(stage, 1 * MINUTE).started
    found = claimed(stage, 2 * MINUTE + 11 * SECOND)
    assert (found.skipped, found.replaced) == (1, [])
    assert stands(stage)[:2] == [(1, "running", None), (2, "skipped", "misfire")]
    ended(stage, run.key)
    assert not broken(stage)


def test_after_an_edit_to_replace_all_that_ran_side_by_side_gives_way(stage: Stage) -> None:
    task(stage, "allow")
    runs = [claimed(stage, minute * MINUTE).started[0].key for minute in (1, 2)]
    stage.run(define("a", folded(overlap="replace")), "tenant", TENANT)
    found = claimed(stage, 3 * MINUTE)
    assert slots(found) == [3]
    assert sorted(found.replaced) == sorted(runs)
    assert stage.ask("SELECT count(*) FROM ledger.occurrence WHERE state = 'running'") == [(1,)]
    assert not broken(stage)


def test_a_slot_that_waits_is_cancelled_like_any_other(stage: Stage) -> None:
    """I4: the series goes on behind it, and its next slot waits in its turn."""
    task(stage, "queue")
    claimed(stage, 1 * MINUTE)
    claimed(stage, 2 * MINUTE)
    key = key_of(stage, "a")
    stage.run(cancel(TENANT, key, "a person"), "tenant", TENANT)
    assert stands(stage) == [(1, "running", None), (2, "cancelled", None), (3, "pending", None)]
    assert claimed(stage, 3 * MINUTE).waiting == 1
    assert not broken(stage)


def test_a_slot_that_is_cancelled_in_its_turn_makes_room_for_the_next(stage: Stage) -> None:
    task(stage, "queue")
    (run,) = claimed(stage, 1 * MINUTE).started
    claimed(stage, 2 * MINUTE)
    key, request = key_of(stage, "a"), asked(stage)
    stage.run(claim_all())
    ended(stage, run.key)
    stage.run(cancel(TENANT, key, "a person"), "tenant", TENANT)
    assert [one.key for one in stage.run(claim_all()).started] == [request]
    assert not broken(stage)


def test_a_hint_that_puts_a_slot_off_in_its_turn_makes_room_for_the_next(stage: Stage) -> None:
    task(stage, "queue")
    (run,) = claimed(stage, 1 * MINUTE).started
    claimed(stage, 2 * MINUTE)
    request = asked(stage)
    stage.run(claim_all())
    ended(stage, run.key)
    later = hint(TENANT, "a", Wish(10 * MINUTE, None, timedelta(hours=4)), "a planner")
    stage.run(later, "tenant", TENANT)
    assert [one.key for one in stage.run(claim_all()).started] == [request]
    assert not broken(stage)


def test_an_edit_does_not_make_a_slot_late_that_waits(stage: Stage) -> None:
    """I11: the slot has come and both versions hold it, so it runs once, under the new one."""
    misfire: dict[str, object] = {"catch_up": "all", "grace_s": 30}
    task(stage, "queue", misfire=misfire)
    (run,) = claimed(stage, 1 * MINUTE).started
    claimed(stage, 2 * MINUTE)
    stage.at(NOON + 10 * MINUTE)
    stage.run(define("a", folded("new", overlap="queue", misfire=misfire)), "tenant", TENANT)
    assert stage.run(claim_all()).waiting == 1
    stage.at(NOON + 20 * MINUTE)
    ended(stage, run.key)
    assert slots(claimed(stage, 20 * MINUTE + 30 * SECOND)) == [2]
    assert not broken(stage)
