"""When it looks, and what holds while a handler runs: I4, I9, I17."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from datetime import timedelta
from typing import cast
from uuid import UUID

import psycopg
import pytest

from dispatcher import Registry, Run
from dispatcher.loop import Settings
from tests.dispatcher.desk import SETTINGS, TENANT, Book, at_work


async def test_each_starts_at_its_time_and_none_before_it(book: Book, registry: Registry) -> None:
    order: list[str] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        order.append(run.task)

    async with at_work(book.dsn, registry) as (_, ears):
        keys = tomorrow(book, 3)
        # The tick is far away: one hint, then it wakes at each time by itself.
        moment = book.now()
        for n, key in enumerate(keys):
            at = moment + timedelta(seconds=0.6 - 0.2 * n)
            book.sql("UPDATE ledger.occurrence SET run_at = %s WHERE key = %s", at, key)
        book.sql("NOTIFY ledger_act")
        await ears.hear("run written", times=3)
    assert order == ["t2", "t1", "t0"]
    rows = book.sql("SELECT started >= run_at FROM ledger.occurrence WHERE started IS NOT NULL")
    assert rows == [(True,)] * 3


async def test_spread_is_no_part_of_the_slot_and_nothing_starts_before_it(
    book: Book, registry: Registry
) -> None:
    registry.handler("job")(lambda run: run.lateness.total_seconds())
    async with at_work(book.dsn, registry) as (_, ears):
        key = book.due("a")
        # What a spread does to a row, so far as the claim can see.
        book.sql("UPDATE ledger.occurrence SET run_at = due + interval '0.3 s' WHERE key = %s", key)
        await ears.hear("run written", key=key)
    early, lateness = book.row(key, "started < run_at, result::float8")
    assert early is False
    assert cast("float", lateness) >= 0.3


async def test_without_being_told_the_tick_finds_it(book: Book, registry: Registry) -> None:
    registry.handler("job")(lambda run: run.task)
    async with at_work(book.dsn, registry, Settings(tick_s=0.05)) as (_, ears):
        key = tomorrow(book, 1)[0]
        await ears.hear("told of an act")
        # Nobody is told of this.
        book.sql("UPDATE ledger.occurrence SET run_at = now()")
        await ears.hear("run written", key=key)
        assert len(ears.all("told of an act")) == 1


async def test_a_series_goes_on_by_itself_on_time_and_each_slot_once(book: Book, registry: Registry) -> None:
    slots = []
    registry.handler("job")(lambda run: slots.append(run.slot))
    async with at_work(book.dsn, registry) as (_, ears):
        book.ledger.tenant(TENANT).define("a", {"entrypoint": "job", "schedule": {"every_s": 1}})
        await ears.hear("run written", times=3)
    assert [after - before for before, after in itertools.pairwise(slots)] == [timedelta(seconds=1)] * 2


@pytest.mark.parametrize("on_thread", [True, False])
async def test_in_the_handler_the_successor_stands_and_no_transaction_is_open(
    on_thread: bool, book: Book, registry: Registry
) -> None:
    seen: list[object] = []

    def plain(run: Run) -> None:
        with psycopg.connect(book.dsn, autocommit=True) as own:
            for sql in (
                "SELECT array_agg(state || ' ' || (due - %(slot)s)::text ORDER BY due)"
                "  FROM ledger.occurrence WHERE task = 'a' AND state <> 'retired'",
                # A look that finds nothing may be under way; what has written something may not.
                "SELECT array_agg(application_name) FROM pg_stat_activity WHERE backend_xid IS NOT NULL"
                "   AND datname = current_database()"
                "   AND application_name IN ('ledger claims', 'ledger finishes')",
                "SELECT 'free' FROM ledger.task t JOIN ledger.occurrence o USING (tenant, task)"
                " WHERE o.key = %(key)s FOR UPDATE NOWAIT",
            ):
                seen.extend(own.execute(sql.encode(), {"slot": run.slot, "key": run.key}).fetchone() or ())

    async def coroutine(run: Run) -> None:
        plain(run)

    registry.handler("job")(plain if on_thread else coroutine)
    async with at_work(book.dsn, registry) as (_, ears):
        key = book.due("a")
        await ears.hear("run written", key=key)
    assert book.row(key, "state, error") == ("succeeded", None)
    assert seen == [["running 00:00:00", "pending 1 day"], None, "free"]


async def test_idle_passes_say_what_they_looked_at(book: Book, registry: Registry) -> None:
    registry.handler("job")(lambda _: None)
    async with at_work(book.dsn, registry, Settings(tick_s=0.02, period_s=0.1)) as (_, ears):
        await ears.hear("looked", times=3, rows=0, started=0, held=False)
        await ears.hear("looked for overdue runs", times=2, rows=0, closed=0)
        await ears.hear("looked for absent processes", times=2, gone=0, looked_at=1)
        await ears.hear("looked for rows set aside", times=2, rows=0)


async def test_the_heartbeat_says_what_it_is_doing_and_what_it_has_done(
    book: Book, registry: Registry
) -> None:
    registry.handler("job")(lambda _: None)
    ((zones,),) = book.sql("SELECT tzdata FROM ledger.settings")
    settings = Settings(tick_s=0.05, period_s=0.1)
    beats: list[tuple[object, ...]] = []

    def beat() -> tuple[object, ...]:
        ((*said, tick),) = book.sql(
            "SELECT state, why, looked_at, started, finished, tick FROM ledger.dispatcher"
        )
        beats.append((tick,))
        return tuple(said)

    async with at_work(book.dsn, registry, settings) as (_, ears):
        for task in ("a", "b"):
            await ears.hear("run written", key=book.due(task))
        rounds = len(ears.all("looked for overdue runs"))
        # A beat begins each round: one that began after what is to be seen has been written by its end.
        await ears.hear("looked for overdue runs", times=rounds + 2)
        assert beat() == ("active", "", 2, 2, 2)
        book.sql("UPDATE ledger.settings SET tzdata = '1999z'")
        await ears.hear("state", state="blocked")
        rounds = len(ears.all("looked for overdue runs"))
        await ears.hear("looked for overdue runs", times=rounds + 2)
        state, why, *_ = beat()
        assert state == "blocked"
        assert "1999z in force" in str(why)
        book.sql("UPDATE ledger.settings SET tzdata = %s", zones)
        await ears.hear("state", times=2, state="active")
    assert beat() == ("stopped", "", 2, 2, 2)
    assert beats == sorted(beats)
    assert len(set(beats)) == 3


async def test_five_thousand_due_rows_run_once_each_and_never_more_than_asked_for(
    book: Book, registry: Registry
) -> None:
    running, most = 0, 0
    ran: list[UUID] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        ran.append(run.key)
        await asyncio.sleep(0)
        running -= 1

    keys = tomorrow(book, 5_000)
    book.sql("UPDATE ledger.occurrence SET run_at = now()")
    async with at_work(book.dsn, registry, replace(SETTINGS, concurrency=100)) as (_, ears):
        await ears.hear("run written", times=5_000)
    assert len(ran) == 5_000
    assert set(ran) == set(keys)
    assert 10 <= most <= 100
    steps = [{"run handed over": 1, "run written": -1}.get(what, 0) for what, _ in ears.said]
    # What has ended and is not written yet is bounded, too.
    assert max(itertools.accumulate(steps)) <= 100 + 2 * 500
    states = book.sql("SELECT state, count(*) FROM ledger.occurrence GROUP BY state ORDER BY state")
    assert states == [("pending", 5_000), ("succeeded", 5_000)]


def tomorrow(book: Book, n: int) -> list[UUID]:
    """Define so many tasks whose first slot is a day away; its keys."""
    schedule = {"every_s": 86_400, "anchor": (book.now() + timedelta(days=1)).isoformat()}
    tasks = {f"t{i}": {"entrypoint": "job", "payload": i, "schedule": schedule} for i in range(n)}
    acted = book.ledger.tenant(TENANT).define_many(tasks)
    return [one.key for one in acted if one.key is not None]


async def test_of_several_due_rows_of_one_task_each_runs_after_the_other(
    book: Book, registry: Registry
) -> None:
    """One of a batch starts; what it left over is looked at at once, waits, and is freed by the finish."""
    running: list[str] = []

    @registry.handler("job")
    async def job(run: Run) -> int:
        running.append(run.wake)
        await asyncio.sleep(0)
        running.remove(run.wake)
        return len(running)

    mine = book.ledger.tenant(TENANT)
    mine.define("t", {"entrypoint": "job", "schedule": {"at": "2190-06-01T09:00:00Z"}})
    for request in ("one", "two", "three"):
        mine.run_now("t", request)
    async with at_work(book.dsn, registry) as (_, ears):
        await ears.hear("run written", times=3, state="succeeded")
    rows = book.sql("SELECT wake, result FROM ledger.occurrence WHERE state = 'succeeded' ORDER BY wake")
    assert rows == [("manual:one", "0"), ("manual:three", "0"), ("manual:two", "0")]
