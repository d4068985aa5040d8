"""What is wrong with one occurrence is its own: it fails and says why, its series goes on, none is late."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from uuid import UUID

import pytest

from dispatcher import Registry, Run
from tests.dispatcher.desk import SETTINGS, Book, Ears, at_work
from tests.dispatcher.receiver import Receiver, answer
from tests.dispatcher.stands import hook, http
from tests.dispatcher.test_delivery_http import flood

FINE = 20
ALL = replace(SETTINGS, tick_s=0.05)


@pytest.fixture
def jobs(registry: Registry) -> Registry:
    @registry.handler("job")
    async def job(run: Run) -> str:
        return run.task

    @registry.handler("picky")
    async def picky(run: Run) -> None:
        if not isinstance(run.payload, dict) or "to" not in run.payload:
            raise ValueError(f"no recipient in {run.payload!r}")

    return registry


def bad(book: Book, receiver: Receiver) -> dict[str, UUID]:
    """One occurrence of each kind of bad input, due at once, by the word that its error must hold."""
    receiver.answers |= {
        "/garbage": answer(200, b"\x00\xff no JSON"),
        "/flood": flood,
        "/never": receiver.hang,
    }
    return {
        "no handler is registered for the entrypoint 'raport'": book.due("unregistered", "raport"),
        "ValueError: no recipient in [1]": book.due("refused", "picky", payload=[1]),
        "what is no JSON": hook(book, receiver.url("/garbage"), "garbage"),
        "more than 1048576 bytes": hook(book, receiver.url("/flood"), "flood"),
        "ran past its timeout of 3 s": hook(book, receiver.url("/never"), "never", timeout_s=3),
    }


async def written(ears: Ears, keys: list[UUID]) -> None:
    for key in keys:
        await ears.hear("run written", key=key)


async def test_each_fails_with_a_clear_error_and_no_other_waits_for_it(
    book: Book, jobs: Registry, receiver: Receiver
) -> None:
    receiver.answers["/fine"] = answer(200, "{}")
    async with at_work(book.dsn, jobs, ALL, deliveries=http()) as (_, ears):
        wrong = bad(book, receiver)
        await receiver.came.acquire()
        fine = [book.due(f"fine{n}") for n in range(FINE)]
        fine += [hook(book, receiver.url("/fine"), f"hook{n}") for n in range(FINE)]
        await written(ears, fine)
        # By now one webhook has not been answered; it never is.
        never = wrong["ran past its timeout of 3 s"]
        assert book.state(never) == "running"
        await written(ears, list(wrong.values()))
        async with asyncio.timeout(20):
            await receiver.given_up.acquire()
    assert {book.state(key) for key in fine} == {"succeeded"}
    for said, key in wrong.items():
        state, error = book.row(key, "state, error")
        assert (state, said in str(error)) == ("timed_out" if key == never else "failed", True), error
    every = book.sql("SELECT task FROM ledger.task")
    assert [book.open_rows(str(task)) for (task,) in every] == [1] * len(every)


async def test_a_kind_that_nobody_knows_is_set_aside_by_name(book: Book, jobs: Registry) -> None:
    """The door refuses such a task, so this text is of another release; its row stays, the others go on."""
    odd = book.due("odd")
    book.sql(
        "UPDATE ledger.definition d SET canonical = replace(d.canonical, '{', '{\"delivery\":\"pigeon\",')"
        "  FROM ledger.task t WHERE t.digest = d.digest AND t.task = 'odd'"
    )
    fine = [book.due(f"fine{n}") for n in range(FINE)]
    async with at_work(book.dsn, jobs, ALL) as (_, ears):
        aside = await ears.hear("row set aside", key=odd)
        await written(ears, fine)
    assert "pigeon" in str(aside["why"])
    state, reason = book.row(odd, "state, reason")
    assert (state, "'python', 'http', 'celery', 'command' or 'pull'" in str(reason)) == ("pending", True)
    assert {book.state(key) for key in fine} == {"succeeded"}
