"""A restart of the server is no mass death: all locks are gone, all processes come back, with their runs."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from dispatcher import Registry, Run
from ledger.driver.migrate import migrate
from ledger.server.cluster import Cluster
from ledger.server.starting import start, stop
from tests.dispatcher.desk import SETTINGS, Book, Ears, at_work
from tests.servers.private import private_server
from tests.servers.programs import NotAtHand

PROCESSES = 4
OFTEN = replace(SETTINGS, concurrency=3, period_s=1.0, look_s=0.05, tick_s=0.05)


async def _restart(cluster: Cluster) -> None:
    await asyncio.to_thread(stop, cluster)
    await asyncio.to_thread(start, cluster)


async def _survive(cluster: Cluster) -> None:
    there = cluster.running()
    assert there is not None
    dsn = cluster.dsn(there.port, "postgres")
    migrate(dsn)
    registry, gate, begun = Registry(), asyncio.Event(), Counter[str]()

    @registry.handler("held")
    async def held(run: Run) -> None:
        begun[run.task] += 1
        await gate.wait()

    book = Book(dsn)
    async with AsyncExitStack() as stack:
        ears: list[Ears] = []
        for number in range(PROCESSES):
            _, heard = await stack.enter_async_context(at_work(dsn, registry, OFTEN))
            ears.append(heard)
            # Each has three runs: no other is free when they come.
            for n in range(OFTEN.concurrency):
                book.due(f"t{number}-{n}", "held")
            await heard.hear("run handed over", times=OFTEN.concurrency)
        book.close()
        await _restart(cluster)
        for heard in ears:
            over = await heard.hear("runs claimed over")
            assert over["runs"] == OFTEN.concurrency
        # Everybody looks for the dead twice and again, more than a period apart.
        looks = [len(heard.all("looked for overdue runs")) for heard in ears]
        for heard, n in zip(ears, looks, strict=True):
            await heard.hear("looked for overdue runs", times=n + 3)
        gate.set()
        for heard in ears:
            await heard.hear("run written", times=OFTEN.concurrency)
            assert not heard.all("process gone")
            assert not heard.all("run taken away")
    book = Book(dsn)
    assert set(begun.values()) == {1}
    assert book.sql("SELECT state, count(*) FROM ledger.occurrence WHERE started IS NOT NULL GROUP BY 1") == [
        ("succeeded", PROCESSES * OFTEN.concurrency)
    ]
    assert book.one("SELECT count(*) FROM ledger.evidence") == 0
    assert book.sql("SELECT count(*), count(*) FILTER (WHERE ended IS NULL) FROM ledger.incarnation") == [
        (2 * PROCESSES, 0)
    ]
    book.close()


async def test_a_restart_of_the_server_loses_no_run_and_repeats_none(request: pytest.FixtureRequest) -> None:
    try:
        with private_server(request.config.getoption("--pg")) as cluster:
            await _survive(cluster)
    except NotAtHand as error:
        pytest.skip(str(error))
