"""One contract, and every kind of delivery keeps it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
import pytest_asyncio

from tests.dispatcher.desk import SETTINGS, TENANT, Book, Ears, at_work
from tests.dispatcher.stands import STANDS, Stand

ROUNDS = replace(SETTINGS, period_s=0.2)


@pytest_asyncio.fixture(params=STANDS)
async def stand(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stand]:
    async with STANDS[request.param](tmp_path) as ready:
        yield ready


def due(book: Book, stand: Stand, what: str, **members: object) -> UUID:
    return book.due(what, **({"payload": what} | stand.member(what) | members))


async def outcome(book: Book, stand: Stand, what: str) -> tuple[object, ...]:
    """Let a run do that; state, result, error, crumb, once they are written. The series has gone on (I4)."""
    async with at_work(book.dsn, stand.registry, ears=Ears(), deliveries=stand.deliveries) as (_, ears):
        key = due(book, stand, what)
        await ears.hear("run written", key=key)
    assert book.open_rows(what) == 1
    return book.row(key, "state, result, error, crumb")


async def test_a_success_and_its_result(book: Book, stand: Stand) -> None:
    state, result, error, crumb = await outcome(book, stand, "succeed")
    assert (state, json.loads(str(result)), error, crumb) == ("succeeded", {"did": "succeed"}, None, None)


async def test_a_failure_and_its_error(book: Book, stand: Stand) -> None:
    state, result, error, _ = await outcome(book, stand, "fail")
    assert (state, result) == ("failed", None)
    assert stand.failed in str(error)


async def test_a_breadcrumb(book: Book, stand: Stand) -> None:
    state, _, _, crumb = await outcome(book, stand, "crumb")
    assert (state, crumb) == ("succeeded", "half way")


async def test_a_result_beyond_the_bound_is_cut_with_a_mark(book: Book, stand: Stand) -> None:
    state, result, _, _ = await outcome(book, stand, "oversize")
    assert state == "succeeded"
    assert 65_000 < len(str(result).encode()) <= 65_536
    assert str(result).endswith("… (cut)")


async def test_a_crash_of_whoever_does_the_work_fails_that_run(book: Book, stand: Stand) -> None:
    state, result, error, _ = await outcome(book, stand, "crash")
    assert (state, result) == ("failed", None)
    assert stand.crashed in str(error)


async def test_an_entrypoint_that_nobody_knows_fails_with_its_name(book: Book, stand: Stand) -> None:
    state, result, error, _ = await outcome(book, stand, "unknown")
    assert (state, result) == ("failed", None)
    assert stand.unknown in str(error)


async def test_a_run_past_its_deadline_is_ended_and_nothing_else_is_late(book: Book, stand: Stand) -> None:
    async with at_work(book.dsn, stand.registry, deliveries=stand.deliveries) as (_, ears):
        hanging = due(book, stand, "hang", timeout_s=2)
        await stand.begun()
        fine = due(book, stand, "succeed")
        await ears.hear("run written", key=fine)
        assert (book.state(fine), book.state(hanging)) == ("succeeded", "running")
        await ears.hear("run written", key=hanging)
        await stand.told()
    state, error, late = book.row(hanging, "state, error, closed < deadline")
    assert (state, error, late) == ("timed_out", "ran past its timeout of 2 s", False)
    assert book.open_rows("hang") == 1


async def test_a_cancel_reaches_whoever_does_the_work(book: Book, stand: Stand) -> None:
    async with at_work(book.dsn, stand.registry, ROUNDS, deliveries=stand.deliveries) as (_, ears):
        key = due(book, stand, "hang")
        await stand.begun()
        book.ledger.tenant(TENANT).cancel(key, reason="not wanted")
        await stand.told()
        await ears.hear("run taken away", key=key)
    assert book.row(key, "state, reason") == ("cancelled", "not wanted")
    assert book.open_rows("hang") == 1


async def test_a_stop_waits_for_what_runs_and_then_ends_it(book: Book, stand: Stand) -> None:
    settings = replace(SETTINGS, grace_s=0.1)
    async with at_work(book.dsn, stand.registry, settings, deliveries=stand.deliveries) as (dispatcher, ears):
        key = due(book, stand, "hang")
        await stand.begun()
        dispatcher.stop()
        await ears.hear("handlers still run", running=1)
        await stand.told()
        await ears.hear("run written", key=key)
    assert book.state(key) in ("failed", "succeeded")
