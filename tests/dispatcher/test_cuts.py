"""Connections are cut, also while COMMIT is awaited: nothing is lost, nothing runs twice (I7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import cast
from uuid import UUID

import pytest

from dispatcher import Dispatcher, Registry, Run
from dispatcher.loop import Settings
from tests.dispatcher.desk import Book, Ears, at_work
from tests.dispatcher.wire import Wire, wired
from tests.servers.databases import Databases

# Runs that others left are nobody's here: the period never comes, the tick does.
SETTINGS = Settings(tick_s=0.05, period_s=60, grace_s=20)

# What only a claim that starts something sends, and what only a finish does.
STARTS, CLOSES = b"SET state = 'running'", b"SET state = k.state"


@pytest.fixture
def tcp(databases: Databases) -> Iterator[str]:
    name = databases.clone()
    yield databases.tcp_dsn(name)
    databases.drop(name)


@pytest.fixture
def book(tcp: str) -> Iterator[Book]:
    made = Book(tcp)
    yield made
    made.close()


@pytest.fixture
async def wire(tcp: str) -> AsyncIterator[tuple[Wire, str]]:
    async with wired(tcp) as made:
        yield made


def cut(book: Book, line: str) -> None:
    """Let the server end the sessions of one line; it answers when it has been told."""
    found = book.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = %s",
        f"ledger {line}",
    )
    assert found == [(True,)]


def once_each(book: Book, keys: list[UUID], ran: list[UUID]) -> None:
    """Each key ran once, and its row says so; each series goes on."""
    assert sorted(ran) == sorted(keys)
    assert {book.state(key) for key in keys} == {"succeeded"}
    assert book.sql("SELECT * FROM ledger.evidence") == []
    assert book.one("SELECT count(*) FROM ledger.occurrence WHERE state = 'pending'") == len(keys)


@pytest.mark.parametrize("done", [True, False])
async def test_the_answer_to_a_claims_commit_is_lost(
    done: bool, book: Book, registry: Registry, wire: tuple[Wire, str]
) -> None:
    ran: list[UUID] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        ran.append(run.key)

    the_wire, dsn = wire
    async with at_work(dsn, registry, SETTINGS) as (_, ears):
        the_wire.lose_commit("ledger claims", STARTS, done=done)
        keys = [book.due(f"t{n}") for n in range(3)]
        await ears.hear("run written", times=3)
        assert the_wire.cuts == 1
        assert sum(cast("int", said["unknown"]) for said in ears.all("claims read back")) == (
            0 if not done else len(keys) - sum(cast("int", s["started"]) for s in ears.all("looked"))
        )
    once_each(book, keys, ran)


@pytest.mark.parametrize("done", [True, False])
async def test_the_answer_to_a_finishs_commit_is_lost(
    done: bool, book: Book, registry: Registry, wire: tuple[Wire, str]
) -> None:
    ran: list[UUID] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        ran.append(run.key)

    the_wire, dsn = wire
    async with at_work(dsn, registry, SETTINGS) as (_, ears):
        the_wire.lose_commit("ledger finishes", CLOSES, done=done)
        keys = [book.due(f"t{n}") for n in range(3)]
        await ears.hear("run written", times=3)
        assert the_wire.cuts == 1
        assert ears.all("finishes unanswered, saying them again")
        assert not ears.all("finish came too late, kept as evidence")
    once_each(book, keys, ran)


@pytest.mark.parametrize("line", ["claims", "finishes", "house"])
async def test_the_server_ends_a_line_while_a_handler_runs(line: str, book: Book, registry: Registry) -> None:
    ran: list[UUID] = []
    gate = asyncio.Event()

    @registry.handler("job")
    async def job(run: Run) -> None:
        ran.append(run.key)
        if run.task == "first":
            await gate.wait()

    async with at_work(book.dsn, registry, SETTINGS) as (_, ears):
        keys = [book.due("before")]
        await ears.hear("run written")
        keys.append(book.due("first"))
        await ears.hear("run handed over", task="first")
        cut(book, line)
        gate.set()
        await ears.hear("run written", task="first")
        keys.append(book.due("second"))
        await ears.hear("run written", task="second")
        assert not ears.all("presence lost")
    once_each(book, keys, ran)


async def test_the_presence_is_cut_then_the_process_claims_its_runs_over(
    book: Book, registry: Registry
) -> None:
    ran: list[tuple[UUID, bool]] = []
    lost, gate = asyncio.Event(), asyncio.Event()

    @registry.handler("job")
    async def job(run: Run) -> None:
        if run.task == "first":
            await lost.wait()
            absent = run.present
            await gate.wait()
            ran.append((run.key, absent))
        ran.append((run.key, run.present))

    ears = Ears()

    def hear(what: str, facts: dict[str, object]) -> None:
        ears(what, facts)
        if what == "presence lost":
            lost.set()

    dispatcher = Dispatcher(book.dsn, registry, SETTINGS, listener=hear)
    running = asyncio.create_task(dispatcher.run())
    await ears.hear("state", state="active")
    first = book.due("first")
    await ears.hear("run handed over")
    (old,) = book.row(first, "incarnation")
    cut(book, "presence")
    await ears.hear("runs claimed over", former=old, runs=1)
    await ears.hear("claims read back", runs=1, unknown=0)
    (new,) = book.row(first, "incarnation")
    assert cast("int", new) > cast("int", old)
    assert book.sql("SELECT id, ended IS NULL FROM ledger.incarnation ORDER BY id") == [
        (old, False),
        (new, True),
    ]
    second = book.due("second")
    await ears.hear("run written", task="second")
    gate.set()
    await ears.hear("run written", task="first")
    dispatcher.stop()
    await running
    assert ran == [(second, True), (first, False), (first, True)]
    assert [book.row(key, "state, incarnation") for key in (first, second)] == [("succeeded", new)] * 2
    assert book.sql("SELECT * FROM ledger.evidence") == []
    assert len(ears.all("run handed over")) == 2
