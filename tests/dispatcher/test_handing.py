"""What a handler is given, and what the ledger keeps of how it ended."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import UTC, timedelta

import pytest

from dispatcher import Registry, Run
from dispatcher.loop import Settings
from tests.dispatcher.desk import TENANT, Book, Ears, at_work


async def outcome(book: Book, registry: Registry, task: str = "it", **members: object) -> tuple[object, ...]:
    """Define a task that is due at once, wait until its run is written; state, result, error, crumb."""
    async with at_work(book.dsn, registry) as (_, ears):
        key = book.due(task, **members)
        await written(ears, key)
        assert book.open_rows(task) == 1
        return book.row(key, "state, result, error, crumb")


async def written(ears: Ears, key: object) -> None:
    await ears.hear("run written", key=key)


async def test_a_coroutine_is_given_its_run_and_its_answer_is_kept(book: Book, registry: Registry) -> None:
    seen: list[Run] = []

    @registry.handler("job")
    async def job(run: Run) -> object:
        seen.append(run)
        run.breadcrumb("first")
        run.breadcrumb("done by hand")
        assert threading.current_thread() is threading.main_thread()
        return {"slot": run.slot.isoformat(), "é": [1, 2.5, None]}

    state, result, error, crumb = await outcome(book, registry, payload={"n": [1]})
    (run,) = seen
    assert (state, error, crumb) == ("succeeded", None, "done by hand")
    assert json.loads(str(result)) == {"slot": run.slot.isoformat(), "é": [1, 2.5, None]}
    due, started, deadline = book.row(run.key, "due, started, deadline")
    assert (run.tenant, run.task, run.wake, run.attempt) == (TENANT, "it", "schedule", 1)
    assert (run.slot, run.started, run.deadline) == (due, started, deadline)
    assert run.lateness == run.started - run.slot >= timedelta(0)
    assert run.slot.tzinfo is UTC
    assert run.key in {row[0] for row in book.sql("SELECT key FROM ledger.occurrence")}
    assert run.payload == {"n": [1]}
    assert run.payload is not run.payload, "a handler that changes its payload changes nobody else's"


async def test_a_plain_function_runs_on_a_thread(book: Book, registry: Registry) -> None:
    threads: list[str] = []

    @registry.handler("job")
    def job(run: Run) -> object:
        threads.append(threading.current_thread().name)
        run.breadcrumb("on a thread")
        return [run.task]

    state, result, error, crumb = await outcome(book, registry)
    assert (state, result, error, crumb) == ("succeeded", '["it"]', None, "on a thread")
    assert threads == ["ledger-handler-1"]


@pytest.mark.parametrize("on_thread", [True, False])
async def test_nothing_returned_is_a_success_without_a_result(
    on_thread: bool, book: Book, registry: Registry
) -> None:
    def plain(_: Run) -> None:
        """Nothing."""

    async def coroutine(_: Run) -> None:
        """Nothing."""

    registry.handler("job")(plain if on_thread else coroutine)
    assert await outcome(book, registry) == ("succeeded", None, None, None)


class Odd(Exception):
    """An exception whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("on_thread", [True, False])
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no such report"), "ValueError: no such report"),
        (KeyError(), "KeyError"),
        (SystemExit(3), "SystemExit: 3"),
        (Odd(), "Odd: (its text cannot be had: RuntimeError)"),
        (asyncio.CancelledError("by itself"), "CancelledError: by itself"),
        (ValueError("a\x00b\ud800"), "ValueError: a\\u0000b\\ud800"),
    ],
)
async def test_an_exception_is_a_failure_with_its_text(
    on_thread: bool, error: BaseException, said: str, book: Book, registry: Registry
) -> None:
    def plain(run: Run) -> None:
        run.breadcrumb("so far")
        raise error

    async def coroutine(run: Run) -> None:
        plain(run)

    registry.handler("job")(plain if on_thread else coroutine)
    assert await outcome(book, registry) == ("failed", None, said, "so far")


async def never_awaited(_: Run) -> None:
    """A coroutine function, which a plain one returns uncalled."""


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda _: object(), "which is not JSON"),
        (lambda _: {"a": {1, 2}}, "which is not JSON"),
        (lambda _: float("nan"), "which is not JSON"),
        (never_awaited, "register the coroutine function itself"),
    ],
)
async def test_an_answer_that_is_no_json_is_a_failure(
    answer: object, said: str, book: Book, registry: Registry
) -> None:
    registry.handler("job")(lambda run: answer(run))  # noqa: PLW0108 - a plain function, whatever answers
    state, result, error, _ = await outcome(book, registry)
    assert (state, result) == ("failed", None)
    assert said in str(error)


async def test_a_result_beyond_the_bound_is_cut_with_a_mark(book: Book, registry: Registry) -> None:
    registry.handler("job")(lambda _: "é" * 100_000)
    state, result, _, _ = await outcome(book, registry)
    assert state == "succeeded"
    assert len(str(result).encode()) <= 65_536
    assert str(result).endswith("… (cut)")


async def test_an_unregistered_entrypoint_fails_alone_and_the_series_goes_on(
    book: Book, registry: Registry
) -> None:
    for name in ("job", "report"):
        registry.handler(name)(lambda run: run.task)
    async with at_work(book.dsn, registry) as (_, ears):
        lost = book.due("a", "raport")
        fine = book.due("b", "report")
        await written(ears, lost)
        await written(ears, fine)
    state, error = book.row(lost, "state, error")
    assert state == "failed"
    assert "'raport'" in str(error)
    assert "registered: 'job', 'report'" in str(error)
    assert book.row(fine, "state, result") == ("succeeded", '"b"')
    assert (book.open_rows("a"), book.open_rows("b")) == (1, 1)


async def test_a_retry_says_its_attempt_and_wakes_its_own_dispatcher(book: Book, registry: Registry) -> None:
    attempts: list[tuple[int, str]] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        attempts.append((run.attempt, run.wake))
        if run.attempt < 3:
            raise ValueError(f"attempt {run.attempt}")

    async with at_work(book.dsn, registry) as (_, ears):
        book.due("it", retry={"attempts": 5, "backoff_s": 0})
        # The tick is far away: the finish that mints the retry wakes the claim.
        await ears.hear("run written", times=3)
    assert attempts == [(1, "schedule"), (2, "retry:1"), (3, "retry:2")]
    states = book.sql("SELECT wake, state FROM ledger.occurrence WHERE started IS NOT NULL ORDER BY started")
    assert states == [("schedule", "failed"), ("retry:1", "failed"), ("retry:2", "succeeded")]


async def test_no_more_run_at_once_than_there_are_threads(book: Book, registry: Registry) -> None:
    gate, running, most = threading.Event(), [0], [0]
    lock = threading.Lock()

    @registry.handler("job")
    def job(_: Run) -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        gate.wait(20)
        with lock:
            running[0] -= 1

    for n in range(7):
        book.due(f"t{n}")
    async with at_work(book.dsn, registry, Settings(threads=3, tick_s=0.05)) as (_, ears):
        await ears.hear("run handed over", times=3)
        # The others are still pending: what cannot begin is not claimed.
        assert book.one("SELECT count(*) FROM ledger.occurrence WHERE state = 'running'") == 3
        gate.set()
        await ears.hear("run written", times=7)
    assert most == [3]
