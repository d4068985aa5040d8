"""Who is there: a lock that means something, its loss, and what becomes of the runs (DESIGN: who is dead)."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import psycopg
import pytest

from dispatcher import Registry, Run
from ledger.driver.presence import hold_presence
from ledger.errors import Misconfigured, Unreachable
from ledger.moves.presence import PRESENCE
from tests.dispatcher.desk import SETTINGS, Book, at_work
from tests.dispatcher.pooler import pooled

QUICK = replace(SETTINGS, period_s=0.2, tick_s=0.1)


async def test_a_presence_is_a_lock_that_others_cannot_take(dsn: str) -> None:
    session = await hold_presence(dsn, 5)
    with psycopg.connect(dsn, autocommit=True) as other:
        assert other.execute("SELECT pg_try_advisory_lock(%s, 5)", (PRESENCE,)).fetchone() == (False,)
        with pytest.raises(Misconfigured, match="another session holds the lock of incarnation 5"):
            await hold_presence(dsn, 5)
        await session.close()
        async with asyncio.timeout(20):
            while other.execute("SELECT pg_try_advisory_lock(%s, 5)", (PRESENCE,)).fetchone() != (True,):
                await asyncio.sleep(0)


async def test_behind_a_transaction_pooler_presence_refuses_to_pretend(dsn: str) -> None:
    async with pooled(dsn) as through:
        with pytest.raises(Misconfigured, match="transaction pooler"):
            await hold_presence(through, 5)
    session = await hold_presence(dsn, 6)
    await session.close()


async def test_behind_a_transaction_pooler_all_but_the_presence_works(book: Book, registry: Registry) -> None:
    """It is told of no act there: the tick finds what is due."""
    done: list[int] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        done.append(run.attempt)
        if run.attempt == 1:
            raise ValueError("the first time")

    async with pooled(book.dsn) as through, at_work(through, registry, QUICK) as (_, ears):
        (said,) = ears.all("no presence")
        assert "deadline" in str(said["why"])
        for n in range(10):
            book.due(f"t{n}", retry={"attempts": 1, "backoff_s": 0})
        await ears.hear("run written", times=20)
    assert sorted(done) == [1] * 10 + [2] * 10
    assert not ears.all("told of an act")
    assert book.sql("SELECT held, ended IS NOT NULL FROM ledger.incarnation") == [(False, True)]


async def test_no_server_is_no_presence(dsn: str) -> None:
    with pytest.raises(Unreachable):
        await hold_presence("postgresql://127.0.0.1:1/nothing", 5)


async def test_the_loss_of_the_session_is_noticed_by_its_socket(dsn: str) -> None:
    hinted = asyncio.Event()
    session = await hold_presence(dsn, 5)
    watching = asyncio.create_task(session.lost(hinted.set))
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("NOTIFY ledger_act")
        async with asyncio.timeout(20):
            await hinted.wait()
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'ledger presence'"
        )
    async with asyncio.timeout(20):
        assert "terminat" in await watching
    await session.close()


class Witness:
    """A handler that counts its runs and waits until the test lets it end."""

    def __init__(self, registry: Registry) -> None:
        self.begun: Counter[str] = Counter()
        self.runs: dict[str, Run] = {}
        self.gate = asyncio.Event()

        @registry.handler("held")
        async def held(run: Run) -> None:
            self.begun[run.task] += 1
            self.runs[run.task] = run
            await self.gate.wait()


def end_session(book: Book, application: str = "ledger presence") -> None:
    book.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = %s",
        application,
    )


async def test_a_lost_presence_is_registered_again_and_its_runs_are_claimed_over(
    book: Book, registry: Registry
) -> None:
    witness = Witness(registry)
    async with at_work(book.dsn, registry, replace(SETTINGS, tick_s=0.1)) as (_, ears):
        keys = [book.due(f"t{n}", "held", tenant=f"tenant{n % 2}") for n in range(4)]
        await ears.hear("run handed over", times=4)
        standing = {run.present for run in witness.runs.values()}
        end_session(book)
        await ears.hear("presence lost")
        over = await ears.hear("runs claimed over")
        await ears.hear("claims read back")
        assert (standing, over["former"], over["runs"]) == ({True}, 1, 4)
        assert [book.row(key, "state, incarnation") for key in keys] == [("running", 2)] * 4
        assert book.sql("SELECT id, ended IS NULL, held FROM ledger.incarnation ORDER BY id") == [
            (1, False, True),
            (2, True, True),
        ]
        assert {run.cancelled.is_set() for run in witness.runs.values()} == {False}
        # It starts runs again, and what it claimed over ends as if nothing had been.
        late = book.due("late", "held")
        await ears.hear("run handed over", key=late)
        witness.gate.set()
        for key in (*keys, late):
            await ears.hear("run written", key=key)
    assert set(witness.begun.values()) == {1}
    assert {book.state(key) for key in (*keys, late)} == {"succeeded"}
    assert book.one("SELECT count(*) FROM ledger.evidence") == 0
    assert book.sql("SELECT incarnation, state FROM ledger.dispatcher ORDER BY 1") == [
        (1, "stopped"),
        (2, "stopped"),
    ]


async def test_a_run_that_others_closed_meanwhile_is_told_to_stop(book: Book, registry: Registry) -> None:
    witness = Witness(registry)
    async with at_work(book.dsn, registry, replace(SETTINGS, tick_s=0.1)) as (_, ears):
        key = book.due("t", "held")
        await ears.hear("run handed over", key=key)
        # As if another had found this process absent, and lost its run.
        book.sql(
            "UPDATE ledger.occurrence SET state = 'lost', closed = now(), closed_by = 'another'"
            " WHERE key = %s",
            key,
        )
        end_session(book)
        await ears.hear("run taken away", key=key)
        assert witness.runs["t"].cancelled.reason == "its run was closed by someone else"
    assert book.row(key, "state, closed_by") == ("lost", "another")


async def test_nothing_starts_while_the_presence_cannot_be_regained_and_handlers_are_told(
    book: Book, registry: Registry
) -> None:
    witness = Witness(registry)
    settings = replace(SETTINGS, period_s=0.3, tick_s=0.05)
    async with at_work(book.dsn, registry, settings) as (_, ears):
        first = book.due("t", "held")
        await ears.hear("run handed over", key=first)
        # Whoever takes the next incarnation's lock first keeps the process out: the lock is its fence.
        book.sql("REVOKE INSERT ON ledger.incarnation FROM ledger_dispatcher")
        end_session(book)
        await ears.hear("state", state="blocked")
        run = witness.runs["t"]
        assert not run.present
        late = book.due("late", "held")
        async with asyncio.timeout(20):
            reason = await run.cancelled
        assert "lost its presence" in reason
        assert book.state(late) == "pending"
        book.sql("GRANT INSERT ON ledger.incarnation TO ledger_dispatcher")
        await ears.hear("run handed over", key=late)
        assert run.present
        witness.gate.set()
        await ears.hear("run written", key=late)
