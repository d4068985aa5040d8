"""A run past its deadline is closed, whatever its handler does; what comes later is evidence (I7)."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from dispatcher import Registry, Run
from tests.dispatcher.desk import SETTINGS, Book, at_work

ROUNDS = replace(SETTINGS, period_s=0.2)


async def test_a_coroutine_is_cancelled_at_its_deadline(book: Book, registry: Registry) -> None:
    ended: list[str | None] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        run.breadcrumb("half way")
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(run.cancelled.reason)

    async with at_work(book.dsn, registry) as (dispatcher, ears):
        key = book.due("t", timeout_s=1)
        await ears.hear("run written", key=key)
        # Its worker is free again, and nothing is left to be written.
        await ears.hear("run timed out", key=key)
        dispatcher.stop()
        await ears.hear("stopping", running=0)
    assert ended == ["ran past its timeout of 1 s"]
    state, error, crumb, late = book.row(key, "state, error, crumb, closed < deadline")
    assert (state, error, crumb, late) == ("timed_out", "ran past its timeout of 1 s", "half way", False)
    assert book.one("SELECT count(*) FROM ledger.evidence") == 0
    assert book.open_rows("t") == 1


async def test_a_function_on_a_thread_is_told_and_its_late_end_is_evidence(
    book: Book, registry: Registry
) -> None:
    told, gate = threading.Event(), threading.Event()

    @registry.handler("job")
    def job(run: Run) -> str:
        if run.cancelled.wait(20):
            told.set()
        gate.wait(20)
        return "after all"

    async with at_work(book.dsn, registry) as (_, ears):
        key = book.due("t", timeout_s=1)
        await ears.hear("run written", key=key, state="timed_out")
        assert await asyncio.to_thread(told.wait, 20)
        assert book.state(key) == "timed_out"
        gate.set()
        await ears.hear("finish came too late, kept as evidence", key=key)
    assert book.row(key, "state, result") == ("timed_out", None)
    assert book.sql("SELECT what, detail FROM ledger.evidence") == [("late finish", 'succeeded: "after all"')]


async def test_a_coroutine_that_will_not_be_cancelled_is_late_as_well(book: Book, registry: Registry) -> None:
    @registry.handler("job")
    async def job(run: Run) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "no"

    async with at_work(book.dsn, registry) as (_, ears):
        key = book.due("t", timeout_s=1)
        await ears.hear("finish came too late, kept as evidence", key=key)
    assert book.state(key) == "timed_out"


async def test_the_shorter_of_two_deadlines_is_kept_whichever_came_first(
    book: Book, registry: Registry
) -> None:
    gate = asyncio.Event()

    @registry.handler("job")
    async def job(_: Run) -> None:
        await gate.wait()

    async with at_work(book.dsn, registry) as (_, ears):
        long = book.due("long", timeout_s=600)
        await ears.hear("run handed over", key=long)
        first, second = book.due("two", timeout_s=2), book.due("one", timeout_s=1)
        await ears.hear("run written", key=second)
        assert not ears.all("run written", key=first)
        await ears.hear("run written", key=first)
        assert book.state(long) == "running"
        gate.set()
        await ears.hear("run written", key=long)
    assert [book.state(key) for key in (long, first, second)] == ["succeeded", "timed_out", "timed_out"]


async def test_a_run_that_gets_no_thread_in_time_is_closed_and_never_begins(
    book: Book, registry: Registry
) -> None:
    gate, begun = threading.Event(), []

    @registry.handler("job")
    def job(run: Run) -> None:
        begun.append(run.task)
        gate.wait(20)

    @registry.handler("other")
    async def other(_: Run) -> None:
        """Makes the registry one of both kinds: more is claimed than there are threads."""

    async with at_work(book.dsn, registry, replace(SETTINGS, threads=1)) as (_, ears):
        first = book.due("a")
        await ears.hear("run handed over", key=first)
        second = book.due("b", timeout_s=1)
        await ears.hear("run written", key=second)
        gate.set()
        await ears.hear("run written", key=first)
    assert begun == ["a"]
    assert book.row(second, "state, error") == ("timed_out", "no worker was free within its timeout of 1 s")


@pytest.mark.parametrize("attempts", [0, 1])
async def test_overdue_runs_that_others_left_are_closed_each_tenant_by_itself(
    attempts: int, book: Book, registry: Registry
) -> None:
    registry.handler("job")(lambda run: run.task)
    keys = []
    for tenant in ("one", "two"):
        key = book.due("t", tenant=tenant, retry={"attempts": attempts, "backoff_s": 0})
        keys.append(key)
        book.sql(
            "UPDATE ledger.occurrence SET state = 'running', started = now() - interval '1 hour',"
            " deadline = now() WHERE key = %s",
            key,
        )
    async with at_work(book.dsn, registry, ROUNDS) as (_, ears):
        await ears.hear("looked for overdue runs", closed=2)
        if attempts:
            await ears.hear("run written", times=2)
        await ears.hear("looked for overdue runs", closed=0)
    for key in keys:
        closed = ("timed_out", "its deadline passed", "incarnation 1")
        assert book.row(key, "state, error, closed_by") == closed
    retries = book.sql("SELECT state FROM ledger.occurrence WHERE wake = 'retry:1'")
    assert retries == [("succeeded",)] * (2 * attempts)


async def test_a_deadline_that_has_not_come_closes_nothing(book: Book, registry: Registry) -> None:
    gate = asyncio.Event()

    @registry.handler("job")
    async def job(_: Run) -> None:
        await gate.wait()

    async with at_work(book.dsn, registry, ROUNDS) as (_, ears):
        key = book.due("t")
        await ears.hear("run handed over", key=key)
        heard = len(ears.all("looked for overdue runs", closed=0))
        await ears.hear("looked for overdue runs", times=heard + 3, closed=0)
        assert book.state(key) == "running"
        gate.set()
        await ears.hear("run written", key=key)
    assert book.state(key) == "succeeded"
