"""A run that another machine has taken on, while the ledger has not answered yet that it is let go of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from tests.dispatcher.desk import SETTINGS, TENANT, Book, at_work
from tests.dispatcher.proxy import Proxy
from tests.dispatcher.receiver import Receiver, answer
from tests.dispatcher.stands import hook, http
from tests.servers.databases import Databases

NOTES, RELEASE = "ledger deliveries", "SET incarnation = NULL"


@pytest.fixture
async def proxy(databases: Databases, dsn: str) -> AsyncIterator[Proxy]:
    name = dsn.rpartition("/")[2].partition("?")[0]
    async with Proxy(databases.tcp_dsn(name)).standing() as standing:
        yield standing


async def test_what_is_let_go_of_is_not_taken_for_closed_by_others(
    book: Book, receiver: Receiver, proxy: Proxy
) -> None:
    """Its row is this process's no more from the commit on: that is its own doing, and nobody is told."""
    receiver.answers["/hook"] = answer(202)
    quick = replace(SETTINGS, period_s=0.1, look_s=0.1)
    async with at_work(proxy.dsn, None, quick, deliveries=http()) as (_, ears):
        trap = proxy.trap(NOTES, RELEASE, "hold the answer")
        key = hook(book, receiver.url("/hook"))
        async with asyncio.timeout(20):
            await trap.sprung.wait()
        assert book.row(key, "state, incarnation") == ("running", None)
        # Whoever looks at its own runs meanwhile does not find it among them.
        looks = len(ears.all("looked for rows set aside"))
        await ears.hear("looked for rows set aside", times=looks + 3)
        trap.release.set()
        await ears.hear("run handed off", key=key)
    assert not ears.all("run taken away")
    assert book.ledger.tenant(TENANT).finish(key, "succeeded").state == "succeeded"


async def test_a_stop_does_not_fail_what_another_machine_has_taken_on(
    book: Book, receiver: Receiver, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dispatcher.loop.LAST_S", 0.2)
    receiver.answers["/hook"] = answer(202)
    async with at_work(proxy.dsn, None, replace(SETTINGS, grace_s=0), deliveries=http()) as (
        dispatcher,
        ears,
    ):
        trap = proxy.trap(NOTES, RELEASE, "hold the answer")
        key = hook(book, receiver.url("/hook"))
        async with asyncio.timeout(20):
            await trap.sprung.wait()
        dispatcher.stop()
        await ears.hear("handlers still run", running=1)
        await ears.hear("state", state="stopped")
        trap.release.set()
    assert not ears.all("run failed")
    assert book.row(key, "state, incarnation") == ("running", None)
    assert book.ledger.tenant(TENANT).finish(key, "succeeded").state == "succeeded"
