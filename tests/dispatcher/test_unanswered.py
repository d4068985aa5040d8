"""A COMMIT whose answer is lost may have happened: nothing is handed over twice or forgotten (I7, I15)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest

from dispatcher import Registry, Run
from tests.dispatcher.desk import SETTINGS, Book, Ears, at_work
from tests.dispatcher.proxy import Proxy, Word
from tests.servers.databases import Databases

CLAIMS, FINISHES = "ledger claims", "ledger finishes"
START, CLOSE, MOVE = "state = 'running'", "closed = now(), outcome", "SET incarnation ="
# The tick finds what the lost transaction never started.
TICKING = replace(SETTINGS, tick_s=0.1)


@pytest.fixture
async def proxy(databases: Databases, dsn: str) -> AsyncIterator[Proxy]:
    name = dsn.rpartition("/")[2].partition("?")[0]
    async with Proxy(databases.tcp_dsn(name)).standing() as standing:
        yield standing


class Witness:
    """Handlers that count their runs, and wait where the test says so."""

    def __init__(self, registry: Registry) -> None:
        self.begun: Counter[UUID] = Counter()
        self.gate = asyncio.Event()

        @registry.handler("job")
        async def job(run: Run) -> str:
            self.begun[run.key] += 1
            return run.task

        @registry.handler("held")
        async def held(run: Run) -> str:
            self.begun[run.key] += 1
            await self.gate.wait()
            return run.task


async def written(ears: Ears, keys: list[UUID]) -> None:
    for key in keys:
        await ears.hear("run written", key=key)


def assert_once(book: Book, witness: Witness, keys: list[UUID]) -> None:
    assert witness.begun == Counter(keys)
    assert {book.state(key) for key in keys} == {"succeeded"}
    assert book.one("SELECT count(*) FROM ledger.evidence") == 0
    assert book.one("SELECT count(*) FROM ledger.occurrence WHERE state = 'pending'") == len(keys)


@pytest.mark.parametrize("word", ["lose the answer", "lose the question", "hold the question"])
async def test_a_claim_that_was_not_answered_is_handed_over_once(
    word: Word, book: Book, registry: Registry, proxy: Proxy
) -> None:
    witness = Witness(registry)
    async with at_work(proxy.dsn, registry, TICKING) as (_, ears):
        trap = proxy.trap(CLAIMS, START, word)
        keys = [book.due(f"t{n}") for n in range(3)]
        await asyncio.wait_for(trap.sprung.wait(), 20)
        if word == "hold the question":
            # The transaction lives on in the server: what it started cannot be known before it has ended.
            await until_waiting(book)
            assert not ears.all("claims read back")
            trap.release.set()
        await written(ears, keys)
        back = await ears.hear("claims read back")
    assert (back["unknown"] != 0) is (word != "lose the question")
    assert_once(book, witness, keys)


async def until_waiting(book: Book) -> None:
    """Wait until a session of the dispatcher waits for a lock, as the server sees it."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock'"
    async with asyncio.timeout(20):
        while not book.one(waiting, CLAIMS):
            await asyncio.sleep(0)


async def test_a_claim_that_was_not_answered_knows_the_runs_from_before(
    book: Book, registry: Registry, proxy: Proxy
) -> None:
    witness = Witness(registry)
    async with at_work(proxy.dsn, registry, TICKING) as (_, ears):
        running = [book.due(f"h{n}", "held") for n in range(3)]
        for key in running:
            await ears.hear("run handed over", key=key)
        trap = proxy.trap(CLAIMS, START, "lose the answer")
        late = book.due("late", "held")
        await asyncio.wait_for(trap.done.wait(), 20)
        back = await ears.hear("claims read back")
        await ears.hear("run handed over", key=late)
        witness.gate.set()
        await written(ears, [*running, late])
    assert (back["runs"], back["unknown"]) == (4, 1)
    assert_once(book, witness, [*running, late])


@pytest.mark.parametrize("word", ["lose the answer", "lose the question"])
async def test_a_claim_that_was_not_answered_before_a_stop_is_handed_back(
    word: Word, book: Book, registry: Registry, proxy: Proxy
) -> None:
    witness = Witness(registry)
    async with at_work(proxy.dsn, registry, TICKING) as (dispatcher, ears):
        trap = proxy.trap(CLAIMS, START, word)
        key = book.due("t")
        # Told to stop while the claim is under way: its answer is lost after that.
        await ears.hear("told of an act")
        await asyncio.wait_for(trap.sprung.wait(), 20)
        dispatcher.stop()
        await ears.hear("state", state="stopped")
    begun = witness.begun[key]
    assert begun in (0, 1)
    states = book.sql(
        "SELECT wake, state, reason FROM ledger.occurrence"
        " WHERE due = (SELECT min(due) FROM ledger.occurrence) ORDER BY wake"
    )
    if word == "lose the question":
        assert states in ([("schedule", "pending", None)], [("schedule", "succeeded", None)])
    elif begun:
        assert states == [("schedule", "succeeded", None)]
    else:
        assert states == [("retry:1", "pending", None), ("schedule", "cancelled", "unhanded")]


@pytest.mark.parametrize("word", ["lose the answer", "lose the question", "hold the question"])
@pytest.mark.parametrize("fails", [False, True])
async def test_a_finish_that_was_not_answered_is_said_again_and_counts_once(
    fails: bool, word: Word, book: Book, registry: Registry, proxy: Proxy
) -> None:
    @registry.handler("job")
    async def job(run: Run) -> str:
        if fails and run.attempt == 1:
            raise ValueError("the first time")
        return run.task

    async with at_work(proxy.dsn, registry, TICKING) as (_, ears):
        trap = proxy.trap(FINISHES, CLOSE, word)
        key = book.due("t", retry={"attempts": 3, "backoff_s": 0})
        await asyncio.wait_for(trap.sprung.wait(), 20)
        trap.release.set()
        await ears.hear("run written", key=key)
        if fails:
            await ears.hear("run written", state="succeeded")
    rows = book.sql("SELECT wake, state FROM ledger.occurrence WHERE started IS NOT NULL ORDER BY started")
    if fails:
        assert rows == [("schedule", "failed"), ("retry:1", "succeeded")]
    else:
        assert rows == [("schedule", "succeeded")]
    assert book.one("SELECT count(*) FROM ledger.evidence") == 0, "what is said again is not late"


async def test_sessions_that_are_ended_again_and_again_lose_nothing(book: Book, registry: Registry) -> None:
    """Sessions of claims, of finishes and of the house are terminated while runs come in; each runs once."""
    witness = Witness(registry)
    keys = []
    async with at_work(book.dsn, registry, TICKING) as (_, ears):
        for n in range(20):
            keys.append(book.due(f"t{n}"))
            book.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND application_name = %s",
                ("ledger claims", "ledger finishes", "ledger house")[n % 3],
            )
            await asyncio.sleep(0)
        await written(ears, keys)
    assert_once(book, witness, keys)


async def test_a_cut_connection_is_opened_again(book: Book, registry: Registry, proxy: Proxy) -> None:
    witness = Witness(registry)
    async with at_work(proxy.dsn, registry, TICKING) as (_, ears):
        for n, application in enumerate((CLAIMS, FINISHES, "ledger house")):
            key = book.due(f"before{n}")
            await written(ears, [key])
            proxy.cut(application)
            key = book.due(f"after{n}")
            await written(ears, [key])
    assert set(witness.begun.values()) == {1}


async def test_a_run_that_ended_and_is_not_written_yet_is_not_handed_over_again(
    book: Book, registry: Registry, proxy: Proxy
) -> None:
    """Its row still runs when the claims are read back: its handler has ended all the same."""
    witness = Witness(registry)
    async with at_work(proxy.dsn, registry, TICKING) as (_, ears):
        first = book.due("first", "held")
        await ears.hear("run handed over", key=first)
        with psycopg.connect(book.dsn) as holder:
            holder.execute("SELECT FROM ledger.occurrence WHERE key = %s FOR UPDATE", (first,))
            witness.gate.set()
            await ears.hear("run ended", key=first)
            trap = proxy.trap(CLAIMS, START, "lose the answer")
            second = book.due("second", "held")
            await asyncio.wait_for(trap.done.wait(), 20)
            back = await ears.hear("claims read back")
            assert (back["runs"], back["unknown"]) == (2, 1)
            await ears.hear("run ended", key=second)
            holder.rollback()
        await written(ears, [first, second])
    assert_once(book, witness, [first, second])
