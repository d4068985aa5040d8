"""Admission: what is suspended or over the quota leaves its row and a successor; at the cap all stays.

Holds I4, I10 and I18 where a tenant may not start what is due.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest

from ledger.errors import NotStarted
from ledger.moves.limits import Change, limits
from ledger.moves.step import Move, ask
from ledger.statements.occurrences import CLAIM_DUE
from projector.asking import read_range
from projector.moves.admission import Held
from projector.moves.backfill import backfill
from projector.moves.decide import Started
from projector.moves.request import run_now
from projector.moves.start import Claimed, claim, settle, start
from tests.moves.acting import INCARNATION, TENANT, claim_all, finished, folded, key_of, repaired
from tests.moves.audits import broken
from tests.moves.limiting import MINUTE, NOON, forget_limits, found, limited, tasks, used
from tests.moves.stage import Stage, instant


@pytest.fixture(autouse=True)
def no_limits(stage: Stage) -> Iterator[None]:
    yield
    forget_limits(stage)


def one(stage: Stage, change: Change, every_s: int = 60, **members: object) -> None:
    """A task due every minute from noon, of a tenant with limits."""
    stage.at(NOON)
    limited(stage, change=change)
    tasks(stage, 1, what=folded("", {"every_s": every_s}, **members))


def plan_of(stage: Stage) -> list[tuple[object, ...]]:
    """What a repair must derive again."""
    columns = ("state", "key", "due", "run_at", "after", "base", "trail", "passed", "predecessor")
    return found(stage, *columns)


def passed(stage: Stage) -> list[tuple[object, object]]:
    ((kept,),) = stage.ask("SELECT passed FROM ledger.occurrence WHERE state = 'pending' AND lane = 'series'")
    assert kept is None or isinstance(kept, list)
    return [(entry["count"], entry["reason"]) for entry in kept or []]


@pytest.mark.parametrize(
    ("change", "why"), [(Change(suspended=True), "suspended"), (Change(quota=0), "quota")]
)
def test_what_may_not_start_is_skipped_with_its_reason_and_the_series_goes_on_after_now(
    stage: Stage, change: Change, why: str
) -> None:
    """I18, I4, I10: one row says why, the slots that came meanwhile are its successor's `passed`."""
    one(stage, change)
    stage.at(NOON + 10 * MINUTE + timedelta(seconds=1))
    claimed = stage.run(claim_all())
    assert (claimed.started, claimed.skipped, claimed.left) == ([], 1, 0)
    assert found(stage, "due", "state", "reason") == [
        (NOON + MINUTE, "skipped", why),
        (NOON + 11 * MINUTE, "pending", None),
    ]
    assert passed(stage) == [(9, why)]
    assert not broken(stage)
    assert not used(stage), "nothing started"


@pytest.mark.parametrize(
    ("change", "why"), [(Change(suspended=True), "suspended"), (Change(quota=0), "quota")]
)
def test_a_repair_opens_what_the_claim_had_opened(stage: Stage, change: Change, why: str) -> None:
    one(stage, change)
    stage.at(NOON + 10 * MINUTE)
    stage.run(claim_all())
    before = plan_of(stage)
    stage.ask("DELETE FROM ledger.occurrence WHERE state = 'pending'")
    stage.at(NOON + 25 * MINUTE)
    stage.run(repaired("a0"), "sweeper")
    assert plan_of(stage) == before


def test_other_lanes_of_a_suspended_tenant_are_skipped_and_a_backfill_goes_on_to_its_next_slot(
    stage: Stage,
) -> None:
    one(stage, Change(suspended=True))
    stage.at(NOON + 3 * MINUTE + timedelta(seconds=1))
    stage.run(run_now(TENANT, "a0", "r1", "a person"), "tenant", TENANT)
    claimed = stage.run(claim_all())
    assert claimed.skipped == 2
    stage.at(NOON + 5 * MINUTE)
    assert stage.run(claim_all()).skipped == 1
    wanted = read_range("a0", "b1", (NOON + MINUTE, NOON + 3 * MINUTE), again=True)
    stage.run(backfill(TENANT, wanted, "a person"), "tenant", TENANT)
    for slot in range(2):
        assert stage.run(claim_all()).skipped == 1, f"slot {slot} of the backfill"
    assert Counter(found(stage, "wake", "state", "reason")) == {
        ("schedule", "skipped", "suspended"): 2,
        ("schedule", "pending", None): 1,
        ("backfill:b1", "skipped", "suspended"): 2,
        ("manual:r1", "skipped", "suspended"): 1,
    }
    assert not broken(stage)


def test_a_tenant_that_is_let_in_again_runs_its_next_slot(stage: Stage) -> None:
    one(stage, Change(suspended=True, note="unpaid"))
    stage.at(NOON + MINUTE)
    assert not stage.run(claim_all()).started
    limited(stage)
    stage.at(NOON + 2 * MINUTE)
    (run,) = stage.run(claim_all()).started
    assert run.due == NOON + 2 * MINUTE


def test_a_quota_counts_starts_of_the_month_and_a_retry_costs_nothing(stage: Stage) -> None:
    """The month is UTC's, by the database's clock: its last instant counts, and the next begins anew."""
    stage.at(instant("2026-06-30 23:57"))
    limited(stage, change=Change(quota=2))
    tasks(stage, 1, what=folded("", retry={"attempts": 1, "on": ["failed"], "backoff_s": 1}))
    stage.at(instant("2026-06-30 23:58"))
    (run,) = stage.run(claim_all()).started
    stage.run(finished(run.key, "failed"), "tenant", TENANT)
    stage.at(instant("2026-06-30 23:58:30"))
    (retry,) = stage.run(claim_all()).started
    assert retry.wake == "retry:1"
    assert used(stage) == [(TENANT, "2026-06-01", 1)]
    stage.run(finished(retry.key), "tenant", TENANT)
    stage.at(instant("2026-06-30 23:59"))
    (run,) = stage.run(claim_all()).started
    stage.run(finished(run.key, "failed"), "tenant", TENANT)
    assert used(stage) == [(TENANT, "2026-06-01", 2)]
    # Two more in the last minute of June: the retry starts though nothing is left.
    stage.at(instant("2026-06-30 23:59:59.999999"))
    stage.run(run_now(TENANT, "a0", "late", "a person"), "tenant", TENANT)
    claimed = stage.run(claim_all())
    assert [run.wake for run in claimed.started] == ["retry:1"]
    assert claimed.skipped + claimed.left == 1
    stage.run(finished(claimed.started[0].key), "tenant", TENANT)
    stage.run(claim_all())
    assert stage.ask("SELECT state, reason FROM ledger.occurrence WHERE wake = 'manual:late'") == [
        ("skipped", "quota")
    ]
    stage.at(instant("2026-07-01 00:00"))
    (run,) = stage.run(claim_all()).started
    assert used(stage) == [(TENANT, "2026-06-01", 2), (TENANT, "2026-07-01", 1)]
    assert not broken(stage)


def test_a_quota_is_not_passed_within_one_batch(stage: Stage) -> None:
    stage.at(NOON)
    limited(stage, change=Change(quota=3))
    tasks(stage, 5)
    stage.at(NOON + MINUTE)
    claimed = stage.run(claim_all())
    assert (len(claimed.started), claimed.skipped) == (3, 2)
    assert used(stage) == [(TENANT, "2026-06-01", 3)]


def test_tenants_without_a_quota_are_not_counted(stage: Stage) -> None:
    stage.at(NOON)
    limited(stage, change=Change(cap=5))
    tasks(stage, 1)
    tasks(stage, 1, "other")
    stage.at(NOON + MINUTE)
    assert len(stage.run(claim_all()).started) == 2
    assert not used(stage)


def test_at_its_cap_the_tenant_is_held_and_its_rows_are_as_they_were(stage: Stage) -> None:
    """Nothing is written for what is held, and no other tenant's row waits for it."""
    stage.at(NOON)
    limited(stage, change=Change(cap=2))
    tasks(stage, 5)
    tasks(stage, 1, "other")
    stage.at(NOON + MINUTE)
    claimed = stage.run(claim_all())
    assert sorted(run.subject.tenant for run in claimed.started) == [TENANT, TENANT, "other"]
    assert (claimed.held, claimed.skipped, claimed.left) == ([TENANT], 0, 0)
    before = stage.state()
    assert stage.run(claim_all()).held == [TENANT]
    assert stage.state() == before
    ended = next(run.key for run in claimed.started if run.subject.tenant == TENANT)
    stage.run(finished(ended), "tenant", TENANT)
    assert len(stage.run(claim_all()).started) == 1


def claim_held(since: Held) -> Move[Claimed]:
    """The claim of somebody who has left tenants out since then."""
    rows = yield from ask(CLAIM_DUE(deliveries=["python"], n=100))
    return (yield from settle(rows, INCARNATION, handed=False, held=since))


@pytest.mark.parametrize(("since", "runs"), [(0, True), (40, True), (41, False)])
def test_held_time_is_no_lateness_and_stands_on_the_row(stage: Stage, since: int, runs: bool) -> None:
    """Grace of 30 s, started 70 s after its time: within it where all but 30 s of that were held."""
    one(stage, Change(cap=1), 3600, misfire={"catch_up": "latest", "grace_s": 30})
    due = NOON + 60 * MINUTE
    stage.at(due + timedelta(seconds=70))
    held = due + timedelta(seconds=since - 10)
    claimed = stage.run(claim_held({TENANT: held}))
    assert bool(claimed.started) == runs
    if runs:
        ms = (70 - max(since - 10, 0)) * 1000
        assert stage.ask("SELECT held_ms FROM ledger.occurrence WHERE state = 'running'") == [(ms,)]
    else:
        assert ("skipped", "misfire") in found(stage)


def test_a_start_by_key_is_refused_at_the_cap_and_says_why(stage: Stage) -> None:
    stage.at(NOON)
    limited(stage, change=Change(cap=1))
    tasks(stage, 2)
    stage.at(NOON + MINUTE)
    keys = [row["key"] for row in sorted(stage.rows(), key=lambda row: str(row["task"]))]
    assert isinstance(keys[0], UUID)
    assert isinstance(keys[1], UUID)
    assert isinstance(stage.run(start(TENANT, keys[0])), Started)
    before = stage.state()
    answer = stage.run(start(TENANT, keys[1]))
    assert isinstance(answer, NotStarted)
    assert (answer.reason, stage.state()) == ("held", before)
    stage.run(finished(keys[0]), "tenant", TENANT)
    assert isinstance(stage.run(start(TENANT, keys[1])), Started)


def test_a_start_by_key_of_a_suspended_tenant_leaves_the_skip(stage: Stage) -> None:
    one(stage, Change(suspended=True))
    stage.at(NOON + MINUTE)
    answer = stage.run(start(TENANT, key_of(stage, "a0")), "tenant", TENANT)
    assert isinstance(answer, NotStarted)
    assert answer.reason == "closed"
    assert found(stage)[0] == ("skipped", "suspended")


def test_a_start_by_key_in_the_tenants_own_name_is_counted(stage: Stage) -> None:
    one(stage, Change(quota=1))
    stage.at(NOON + MINUTE)
    assert isinstance(stage.run(start(TENANT, key_of(stage, "a0")), "tenant", TENANT), Started)
    assert used(stage) == [(TENANT, "2026-06-01", 1)]


def test_limits_that_someone_else_holds_keep_no_other_tenant_waiting(stage: Stage) -> None:
    stage.at(NOON)
    limited(stage, change=Change(cap=2))
    tasks(stage, 1)
    tasks(stage, 1, "other")
    stage.at(NOON + MINUTE)
    holder = stage.connect()
    with holder.transaction():
        holder.execute("SELECT FROM ledger.tenant_limit FOR UPDATE")
        claimed = stage.run(claim_all())
    assert [run.subject.tenant for run in claimed.started] == ["other"]
    assert claimed.elsewhere == [TENANT]
    assert len(stage.run(claim_all()).started) == 1


def test_limits_are_set_once_and_say_who_and_when(stage: Stage) -> None:
    stage.at(NOON)
    limited(stage, change=Change(cap=3, quota=10, note="trial"))
    stage.at(NOON + MINUTE)
    limited(stage, change=Change(cap=3))
    found = stage.run(limits(TENANT), "tenant", TENANT)
    assert (found.cap, found.quota, found.note, found.by, found.at) == (3, 10, "trial", "an operator", NOON)
    limited(stage, change=Change(suspended=True, cap=None))
    found = stage.run(limits(TENANT), "tenant", TENANT)
    assert (found.suspended, found.cap, found.quota, found.at) == (True, None, 10, NOON + MINUTE)


def test_a_claim_of_many_without_limits_asks_nothing_more(stage: Stage) -> None:
    """Tenants without limits pay no turn to the database."""
    stage.at(NOON)
    tasks(stage, 3)
    stage.at(NOON + MINUTE)
    assert stage.run(turns(claim(["python"], 100, INCARNATION))) == (3, 3), "rows, facts, writes"
    stage.at(NOON + 2 * MINUTE)
    limited(stage, "other", Change(cap=1))
    assert stage.run(turns(claim(["python"], 100, INCARNATION))) == (3, 3), "limits of others cost nothing"


def turns(move: Move[Claimed]) -> Move[tuple[int, int]]:
    """How many rows a claim looks at, and how often it goes to the database for them."""
    steps = 1
    answer = yield next(move)
    while True:
        try:
            step = move.send(answer)
        except StopIteration as done:
            return done.value.looked_at, steps
        steps += 1
        answer = yield step
