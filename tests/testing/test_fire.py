"""Firing rows now: each at its own time, by the very claim, handler and finish that a dispatcher uses."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from ledger import BadInput, Ledger, Misconfigured, NotFound, Registry, Run
from ledger.testing import AsyncScheduler, Scheduler, add_clock

AUDITS = sorted((Path(__file__).parents[1] / "moves" / "audits").glob("*.sql"))
DAY = timedelta(days=1)
DAILY = {"entrypoint": "work", "schedule": {"cron": "0 9 * * *"}}


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest.fixture
def scheduler(dsn: str, registry: Registry) -> Scheduler:
    add_clock(dsn)
    return Scheduler(dsn, registry)


def remember(registry: Registry) -> list[Run]:
    """A handler `work` that keeps its runs."""
    runs: list[Run] = []

    @registry.handler("work")
    async def work(run: Run) -> object:
        runs.append(run)
        run.breadcrumb(f"run {len(runs)}")
        return {"n": len(runs)}

    return runs


def test_the_next_slots_run_in_order(scheduler: Scheduler, registry: Registry) -> None:
    runs = remember(registry)
    first = scheduler.tenant("acme").define("daily", DAILY).next
    assert first is not None
    fired = scheduler.fire("acme", "daily", slots=3)
    assert [one.slot for one in fired] == [first, first + DAY, first + 2 * DAY]
    assert [run.slot for run in runs] == [one.slot for one in fired]
    assert [run.key for run in runs] == [one.key for one in fired]
    assert [(one.state, one.attempt, one.result, one.crumb) for one in fired] == [
        ("succeeded", 1, {"n": n}, f"run {n}") for n in (1, 2, 3)
    ]
    # Each at its own time, by the database's clock (I9).
    for run in runs:
        assert timedelta(0) <= run.lateness < timedelta(minutes=1)
    assert [one.next for one in fired] == [first + DAY, first + 2 * DAY, first + 3 * DAY]
    history = scheduler.tenant("acme").history("daily").rows
    assert [(row.due, row.state) for row in history] == [(one.slot, "succeeded") for one in reversed(fired)]
    assert scheduler.tenant("acme").upcoming("daily", count=1)[0].due == first + 3 * DAY


def test_all_that_was_promised_holds_after_it(scheduler: Scheduler, registry: Registry, dsn: str) -> None:
    """The rows that firing leaves are rows like all others: the audits of the promises find nothing."""

    @registry.handler("work")
    def work(run: Run) -> None:
        if run.slot.day % 2:
            raise ValueError("odd")

    scheduler.tenant("acme").define("daily", DAILY | {"retry": {"attempts": 1}})
    scheduler.tenant("acme").define("often", {"entrypoint": "work", "schedule": {"every_s": "1h"}})
    for one in [*scheduler.fire("acme", "daily", slots=4), *scheduler.fire("acme", "often", slots=30)]:
        if one.retry is not None:
            scheduler.fire_key("acme", one.retry)
    scheduler.tenant("acme").edit("daily", {"timeout_s": 60})
    scheduler.fire("acme", "daily", slots=2)
    with psycopg.connect(dsn) as connection:
        for audit in AUDITS:
            assert connection.execute(audit.read_bytes()).fetchall() == [], audit.name
    assert len(AUDITS) > 5


def test_what_a_handler_raises_is_its_runs_failure(scheduler: Scheduler, registry: Registry) -> None:
    seen: list[tuple[int, str]] = []

    @registry.handler("work")
    def work(run: Run) -> None:
        seen.append((run.attempt, run.wake))
        if run.attempt < 3:
            raise RuntimeError(f"attempt {run.attempt}")

    scheduler.tenant("acme").define("daily", DAILY | {"retry": {"attempts": 2, "backoff_s": 600}})
    (first,) = scheduler.fire("acme", "daily")
    assert (first.state, first.error) == ("failed", "RuntimeError: attempt 1")
    assert isinstance(first.raised, RuntimeError)
    assert first.retry is not None
    assert first.retry_at is not None
    assert first.closed is not None
    assert first.retry_at - first.closed >= timedelta(seconds=300)
    second = scheduler.fire_key("acme", first.retry)
    assert (second.state, second.attempt, second.slot) == ("failed", 2, first.slot)
    assert second.started is not None
    assert second.started >= first.retry_at
    third = scheduler.fire_key("acme", str(second.retry))
    assert (third.state, third.retry, third.raised) == ("succeeded", None, None)
    assert seen == [(1, "schedule"), (2, "retry:1"), (3, "retry:2")]


def test_a_rule_that_keeps_a_slot_from_running_is_seen(scheduler: Scheduler, registry: Registry) -> None:
    """I18"""

    @registry.handler("work")
    def work(_run: Run) -> None:
        raise ValueError("always")

    scheduler.tenant("acme").define("often", {"entrypoint": "work", "schedule": {"every_s": "1h"}})
    fired = scheduler.fire("acme", "often", slots=3)
    assert [(one.state, one.reason) for one in fired] == [
        ("failed", None),
        ("skipped", "backoff"),
        ("failed", None),
    ]
    assert fired[2].slot - fired[0].slot == timedelta(hours=3)


def test_a_request_is_fired_by_its_key(scheduler: Scheduler, registry: Registry) -> None:
    runs = remember(registry)
    scheduler.tenant("acme").define("daily", DAILY)
    asked = scheduler.tenant("acme").run_now("daily", "r1")
    fired = scheduler.fire_key("acme", asked.key)
    assert (fired.wake, fired.state) == ("manual:r1", "succeeded")
    assert [run.wake for run in runs] == ["manual:r1"]
    with pytest.raises(BadInput, match="it is succeeded; only a row that is open can start"):
        scheduler.fire_key("acme", asked.key)


def test_other_tasks_see_no_time_pass(scheduler: Scheduler, registry: Registry) -> None:
    remember(registry)
    acme = scheduler.tenant("acme")
    acme.define("daily", DAILY)
    other = acme.define("other", DAILY | {"payload": 1}).next
    scheduler.fire("acme", "daily", slots=5)
    assert scheduler.fire("acme", "other")[0].slot == other


def test_a_tenants_time_goes_forward(scheduler: Scheduler, registry: Registry) -> None:
    """An act comes after the runs before it, and a run after the acts on its task (I10, I11)."""
    remember(registry)
    acme = scheduler.tenant("acme")
    acme.define("daily", DAILY)
    acme.define("other", DAILY | {"payload": 1})
    last = scheduler.fire("acme", "daily", slots=5)[-1]
    edited = acme.edit("other", {"timeout_s": 60})
    (act, *_) = acme.show("other").acts
    assert last.closed is not None
    assert act.at >= last.closed
    # Its first slot has come and both versions hold it; of those that have come the newest runs.
    assert edited.next is not None
    assert edited.next < act.at
    (fired,) = scheduler.fire("acme", "other")
    assert fired.started is not None
    assert fired.started >= act.at
    assert fired.slot == last.slot
    assert scheduler.tenant("globex").define("new", DAILY).next == last.slot - 4 * DAY


def test_a_handler_past_its_timeout_is_told(scheduler: Scheduler, registry: Registry) -> None:
    told = threading.Event()

    @registry.handler("thread")
    def thread(run: Run) -> None:
        if run.cancelled.wait(30):
            told.set()

    @registry.handler("loop")
    async def loop(run: Run) -> None:
        await run.cancelled

    acme = scheduler.tenant("acme")
    for name in ("thread", "loop"):
        acme.define(name, {"entrypoint": name, "schedule": {"every_s": "1h"}, "timeout_s": 1})
        (fired,) = scheduler.fire("acme", name)
        assert (fired.state, fired.error) == ("timed_out", "ran past its timeout of 1 s")
    assert told.is_set()


def test_an_entrypoint_without_a_handler(scheduler: Scheduler) -> None:
    scheduler.tenant("acme").define("daily", DAILY)
    (fired,) = scheduler.fire("acme", "daily")
    assert fired.state == "failed"
    assert fired.error is not None
    assert fired.error.startswith("no handler is registered for the entrypoint 'work'")


def test_what_cannot_be_fired_is_said(scheduler: Scheduler, registry: Registry) -> None:
    runs = remember(registry)
    acme = scheduler.tenant("acme")
    with pytest.raises(NotFound, match="no such task"):
        scheduler.fire("acme", "nobody")
    with pytest.raises(BadInput, match="ask for at least one"):
        scheduler.fire("acme", "nobody", slots=0)
    acme.define("off", DAILY, enabled=False)
    with pytest.raises(BadInput, match="it is off; enable it first"):
        scheduler.fire("acme", "off")
    acme.define("over", {"entrypoint": "work", "schedule": {"at": "2020-01-01T00:00:00Z"}})
    with pytest.raises(BadInput, match="its series has ended"):
        scheduler.fire("acme", "over")
    acme.define("pulled", DAILY | {"delivery": "pull"})
    with pytest.raises(BadInput, match="it has no handler in this process"):
        scheduler.fire("acme", "pulled")
    assert runs == []
    assert acme.history().rows == []


def test_a_series_ends_in_a_test_too(scheduler: Scheduler, registry: Registry) -> None:
    remember(registry)
    schedule = {"cron": "0 9 * * *", "ends_at": datetime.now(UTC) + 2 * DAY}
    scheduler.tenant("acme").define("daily", {"entrypoint": "work", "schedule": schedule})
    first, last = scheduler.fire("acme", "daily", slots=2)
    assert (first.ended, last.ended, last.next) == (False, True, None)


def test_what_firing_raises_is_all_that_is_told(scheduler: Scheduler) -> None:
    """The search for a running loop, which raises where there is none, is no part of the trouble."""
    with pytest.raises(NotFound) as raised:
        scheduler.fire("acme", "nobody")
    assert not isinstance(raised.value.__context__, RuntimeError)


def test_a_database_in_use_has_no_such_clock(dsn: str, registry: Registry) -> None:
    """I9: what migrations make cannot be started ahead of its time, by nobody's wish."""
    runs = remember(registry)
    with Ledger(dsn) as ledger:
        ledger.tenant("acme").define("daily", DAILY)
    scheduler = Scheduler(dsn, registry)
    with pytest.raises(Misconfigured, match="no clock that a test can move"):
        scheduler.tenant("acme").list()
    for call in (scheduler.fire, scheduler.fire_key):
        with pytest.raises(Misconfigured, match="no clock that a test can move"):
            call("acme", "daily" if call == scheduler.fire else str(uuid4()))
    with psycopg.connect(dsn, autocommit=True) as connection:
        schemas = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'ledger%'"
        ).fetchall()
    assert schemas == [("ledger",)]
    assert runs == []


async def test_within_a_coroutine(scheduler: Scheduler, registry: Registry, dsn: str) -> None:
    runs = remember(registry)
    asynchronous = AsyncScheduler(dsn, registry)
    first = (await asynchronous.tenant("acme").define("daily", DAILY)).next
    assert first is not None
    fired = await asynchronous.fire("acme", "daily", slots=2)
    assert [one.slot for one in fired] == [first, first + DAY]
    asked = await asynchronous.tenant("acme").run_now("daily", "r1")
    assert (await asynchronous.fire_key("acme", asked.key)).state == "succeeded"
    assert len(runs) == 3
    with pytest.raises(BadInput, match="take the fixture `async_scheduler`"):
        scheduler.fire("acme", "daily")
