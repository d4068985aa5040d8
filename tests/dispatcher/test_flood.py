"""More is due than a batch takes: two are claimed at once; nothing is lost, done twice or too much (I7)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple
from uuid import UUID

import psycopg
import pytest

from dispatcher import Registry, Run, claimer
from dispatcher.moves import Look, look, look_on
from ledger.moves.step import Move, Statement, ask
from tests.dispatcher.desk import SETTINGS, Book, Ears, at_work
from tests.dispatcher.proxy import Proxy, Trap
from tests.servers.databases import Databases

FIRST, SECOND = "ledger claims", "ledger more claims"
DUE = 45
GATE = 7


class Waited(NamedTuple):
    waited: str


AT_THE_GATE = Statement(
    "gate", b"SELECT pg_advisory_xact_lock(%(gate)s::bigint)::text AS waited", ("waited",), Waited._make
)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claimer, "BATCH", 10)
    monkeypatch.setattr(claimer, "SECOND_LEAST", 5)


class Witness:
    """A handler that counts its runs; those wait until the test lets them end."""

    def __init__(self, registry: Registry) -> None:
        self.begun: Counter[UUID] = Counter()
        self.gate = asyncio.Event()
        self.gate.set()

        @registry.handler("job")
        async def job(run: Run) -> None:
            self.begun[run.key] += 1
            await self.gate.wait()


class Gate:
    """Lets a claim wait for the test just before its COMMIT: the one that comes as `nth`."""

    def __init__(self, book: Book, monkeypatch: pytest.MonkeyPatch, nth: int) -> None:
        self.book = book
        self.asked = 0
        self.then: Callable[[], object] = int
        book.sql("SELECT pg_advisory_lock(%s)", GATE)

        def gated(claim: Move[Look]) -> Move[Look]:
            found = yield from claim
            yield from ask(AT_THE_GATE(gate=GATE))
            return found

        def numbered(claim: Move[Look]) -> Move[Look]:
            self.asked += 1
            if self.asked != nth:
                return claim
            self.then()
            return gated(claim)

        monkeypatch.setattr(claimer, "look", lambda n, who, clock: numbered(look(n, who, clock)))
        monkeypatch.setattr(claimer, "look_on", lambda n, who: numbered(look_on(n, who)))

    async def waited_for(self) -> None:
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND wait_event = 'advisory'"
        )
        async with asyncio.timeout(20):
            while not self.book.one(waiting, SECOND):
                await asyncio.sleep(0)

    def open(self) -> None:
        self.book.sql("SELECT pg_advisory_unlock(%s)", GATE)


def many_due(book: Book) -> list[UUID]:
    keys = [book.due(f"t{n}") for n in range(DUE)]
    while book.one("SELECT count(*) FROM ledger.occurrence WHERE run_at <= now()") != DUE:
        pass
    return keys


async def assert_once(book: Book, ears: Ears, witness: Witness, keys: list[UUID]) -> None:
    await ears.hear("run written", times=len(keys))
    assert witness.begun == Counter(keys)
    assert {book.state(key) for key in keys} == {"succeeded"}
    assert book.one("SELECT count(*) FROM ledger.evidence") == 0
    assert book.one("SELECT count(*) FROM ledger.occurrence WHERE state = 'pending'") == len(keys)


async def test_two_batches_are_under_way_and_each_run_begins_once(
    dsn: str, book: Book, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = Witness(registry)
    keys = many_due(book)
    gate = Gate(book, monkeypatch, nth=2)
    async with at_work(dsn, registry) as (_, ears):
        await gate.waited_for()
        # All but the ten of the batch that waits: the other connection goes on.
        await ears.hear("run written", times=DUE - 10)
        gate.open()
        await assert_once(book, ears, witness, keys)


async def test_two_batches_take_no_more_than_can_begin(dsn: str, book: Book, registry: Registry) -> None:
    witness = Witness(registry)
    witness.gate.clear()
    keys = many_due(book)
    async with at_work(dsn, registry, replace(SETTINGS, concurrency=25)) as (_, ears):
        await ears.hear("run handed over", times=25)
        await ears.hear("looked", started=5)
        assert book.one("SELECT count(*) FROM ledger.occurrence WHERE state = 'running'") == 25
        assert [heard["started"] for heard in ears.all("looked")] in ([10, 10, 5], [10, 5, 10])
        witness.gate.set()
        await assert_once(book, ears, witness, keys)


async def test_what_is_not_written_yet_holds_claims_up_and_its_writing_lets_them_go_on(
    dsn: str, book: Book, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claimer, "UNWRITTEN_MOST", 10)
    witness = Witness(registry)
    keys = many_due(book)
    async with at_work(dsn, registry) as (_, ears):
        await assert_once(book, ears, witness, keys)


async def test_what_was_not_answered_is_read_back_once_the_other_batch_has_ended(
    book: Book, registry: Registry, monkeypatch: pytest.MonkeyPatch, databases: Databases, dsn: str
) -> None:
    witness = Witness(registry)
    keys = many_due(book)
    name = dsn.rpartition("/")[2].partition("?")[0]
    async with Proxy(databases.tcp_dsn(name)).standing() as proxy:
        gate = Gate(book, monkeypatch, nth=2)
        traps: list[Trap] = []
        gate.then = lambda: traps.append(proxy.trap(FIRST, "state = 'running'", "lose the answer"))
        async with at_work(proxy.dsn, registry) as (_, ears):
            await gate.waited_for()
            async with asyncio.timeout(20):
                await traps[0].done.wait()
            for _ in range(200):
                book.one("SELECT 1")
                await asyncio.sleep(0)
            assert not ears.all("state", state="blocked"), "the other batch is waited for first"
            gate.open()
            back = await ears.hear("claims read back")
            await assert_once(book, ears, witness, keys)
    assert back["unknown"] == 10


async def test_a_stop_hands_back_what_both_batches_have_claimed_meanwhile(
    dsn: str, book: Book, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    witness = Witness(registry)
    keys = many_due(book)
    gate = Gate(book, monkeypatch, nth=2)
    async with at_work(dsn, registry) as (dispatcher, ears):
        await gate.waited_for()
        dispatcher.stop()
        asked = gate.asked
        gate.open()
        await ears.hear("state", state="stopped")
    assert gate.asked == asked
    states = Counter(str(book.state(key)) for key in keys)
    assert states["cancelled"] >= 10
    assert states["succeeded"] == len(witness.begun) == sum(witness.begun.values())
    assert sum(states[state] for state in ("succeeded", "cancelled", "pending")) == DUE
    handed_back = "SELECT count(*) FROM ledger.occurrence WHERE wake = 'retry:1' AND state = 'pending'"
    assert book.one(handed_back) == states["cancelled"]


def test_the_other_connection_is_only_for_a_flood(dsn: str, book: Book, registry: Registry) -> None:
    async def few() -> None:
        Witness(registry)
        key = book.due("alone")
        async with at_work(dsn, registry) as (_, ears):
            await ears.hear("run written", key=key)
            with psycopg.connect(dsn) as other:
                asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"
                assert other.execute(asked, [SECOND]).fetchall() == [(0,)]

    asyncio.run(few())
