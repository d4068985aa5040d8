"""`ledger sweep --ping`: an address outside hears of each pass, its success only of a proof (I14)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from ledger.errors import BadInput
from sweeper.moves.tenant import Verdict
from sweeper.ping import BODY_MOST, Ping, said_of
from tests.dispatcher.receiver import Receiver, answer, receiving
from tests.sweeper.book import Book, all_well
from tests.sweeper.test_commands import run
from tests.sweeper.test_incidents import locked


@pytest_asyncio.fixture
async def receiver(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Receiver]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with receiving() as ready:
        for path in ("/c0ffee", "/c0ffee/start", "/c0ffee/fail"):
            ready.answers[path] = answer(200, "OK")
        yield ready


def heard(receiver: Receiver) -> list[str]:
    return [request.path for request in receiver.requests]


async def test_a_green_pass_is_a_start_and_a_success_that_tells_of_the_drills(
    book: Book, receiver: Receiver
) -> None:
    book.define("a")
    book.define("b", tenant="beta")
    told = await asyncio.to_thread(run, "sweep", "--ping", receiver.url("/c0ffee/"), dsn=book.dsn)
    assert (told.returncode, told.stderr) == (0, "")
    assert heard(receiver) == ["/c0ffee/start", "/c0ffee"]
    body = receiver.requests[1].body.decode()
    assert re.match(r"pass \d+, closed 20\d\d-.*Z, took \d+\.\d\d s\n", body)
    assert "tenants: 2 = 2 healthy + 0 repaired + 0 failed\ntasks: 2, 2 open, 0 ended\n" in body
    assert re.search(r"drills: passed 2, failed 0, could not try 0, the slowest in \d+\.\d ms$", body)


async def test_a_pass_that_repaired_is_a_failure_that_says_what(book: Book, receiver: Receiver) -> None:
    book.define("a")
    book.sql("DELETE FROM ledger.occurrence")
    told = await asyncio.to_thread(run, "sweep", "--ping", receiver.url("/c0ffee"), dsn=book.dsn)
    assert told.returncode == 1
    assert heard(receiver) == ["/c0ffee/start", "/c0ffee/fail"]
    assert b"repaired: missing 1" in receiver.requests[1].body


async def test_a_failed_tenant_is_a_failure_that_names_it(book: Book, receiver: Receiver) -> None:
    book.define("a")
    book.define("a", tenant="beta")
    book.sql("DELETE FROM ledger.occurrence WHERE tenant = 'beta'")
    with locked(book, "beta"):
        told = await asyncio.to_thread(run, "sweep", "--ping", receiver.url("/c0ffee"), dsn=book.dsn)
    assert told.returncode == 1
    assert heard(receiver) == ["/c0ffee/start", "/c0ffee/fail"]
    assert b"tenant 'beta': failed, drill passed: lock" in receiver.requests[1].body


async def test_a_healthy_tenant_without_a_passed_drill_is_no_success(book: Book, receiver: Receiver) -> None:
    book.define("a")
    report = book.sweep()
    all_well(report)
    undrilled = replace(report, verdicts=[*report.verdicts, Verdict("beta", "healthy")])
    complaints: list[str] = []
    ping = Ping(receiver.url("/c0ffee"), complaints.append)
    await asyncio.to_thread(ping.closed, undrilled)
    await asyncio.to_thread(ping.closed, report)
    assert (heard(receiver), complaints) == (["/c0ffee/fail", "/c0ffee"], [])
    assert "tenant 'beta': healthy, drill could not try" in said_of(undrilled)


async def test_a_pass_that_does_not_close_is_a_failure(receiver: Receiver) -> None:
    nowhere = "postgresql://127.0.0.1:1/none"
    told = await asyncio.to_thread(run, "sweep", "--ping", receiver.url("/c0ffee"), dsn=nowhere)
    assert told.returncode == 2
    assert heard(receiver) == ["/c0ffee/start", "/c0ffee/fail"]
    assert b"the pass did not close: Unreachable" in receiver.requests[1].body


async def test_a_query_stays_behind_the_path(receiver: Receiver) -> None:
    ping = Ping(receiver.url("/c0ffee") + "?rid=1", lambda _: None)
    receiver.answers["/c0ffee/start?rid=1"] = answer(200)
    await asyncio.to_thread(ping.start)
    assert heard(receiver) == ["/c0ffee/start?rid=1"]


@pytest.mark.parametrize("status", [302, 404, 500])
async def test_a_ping_that_is_refused_is_said_and_the_sweep_is_as_green(
    book: Book, receiver: Receiver, status: int
) -> None:
    book.define("a")
    for path in receiver.answers:
        receiver.answers[path] = answer(status)
    told = await asyncio.to_thread(run, "sweep", "--ping", receiver.url("/c0ffee"), dsn=book.dsn)
    assert told.returncode == 0
    assert told.stderr.splitlines() == [
        f"ledger: ping/start of 127.0.0.1 did not arrive: it answered {status}",
        f"ledger: ping of 127.0.0.1 did not arrive: it answered {status}",
    ]
    assert "c0ffee" not in told.stderr
    assert book.one("SELECT healthy FROM ledger.pass") == 1


async def test_a_ping_that_hangs_is_given_up(receiver: Receiver) -> None:
    receiver.answers["/c0ffee/start"] = receiver.hang
    complaints: list[str] = []
    await asyncio.to_thread(Ping(receiver.url("/c0ffee"), complaints.append, bound_s=0.05).start)
    assert len(complaints) == 1
    await receiver.given_up.acquire()


def test_nobody_listening_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    complaints: list[str] = []
    Ping("http://127.0.0.1:1/c0ffee", complaints.append).start()
    assert len(complaints) == 1
    assert complaints[0].startswith("ping/start of 127.0.0.1 did not arrive: ")


@pytest.mark.parametrize("address", ["c0ffee", "ftp://x/y", "http://", "http://x:y/"])
def test_what_is_no_address_is_refused(book: Book, address: str) -> None:
    with pytest.raises(BadInput, match="--ping: "):
        Ping(address, print)
    told = run("sweep", "--ping", address, dsn=book.dsn)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.count("\n") == 1


async def test_a_long_story_is_cut(receiver: Receiver) -> None:
    complaints: list[str] = []
    ping = Ping(receiver.url("/c0ffee"), complaints.append)
    await asyncio.to_thread(ping.failed, "x" * (2 * BODY_MOST) + "\udcff")
    assert complaints == []
    assert len(receiver.requests[0].body) == BODY_MOST
