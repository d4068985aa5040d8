"""Several dispatchers on one database, and one that dies between its commit and the hand-over."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

import pytest

from dispatcher import Dispatcher, Registry, Run
from dispatcher.loop import Settings
from dispatcher.workers import Workers
from tests.dispatcher.desk import SETTINGS, TENANT, Book, Ears, at_work

SLOTS = 60
TASKS = 20


async def test_of_two_dispatchers_each_slot_is_run_by_one(book: Book) -> None:
    ran: list[tuple[str, str, datetime]] = []
    keys: Counter[UUID] = Counter()
    enough = asyncio.Event()

    def offering(name: str) -> Registry:
        registry = Registry()

        @registry.handler("job")
        async def job(run: Run) -> str:
            ran.append((name, run.task, run.slot))
            keys[run.key] += 1
            if len(ran) >= SLOTS:
                enough.set()
            return name

        return registry

    # So few at once that none of the two can take all that is due at a second.
    settings = Settings(concurrency=TASKS // 2, tick_s=0.05, period_s=0.2)
    async with (
        at_work(book.dsn, offering("one"), replace(settings, name="one")) as (_, one),
        at_work(book.dsn, offering("two"), replace(settings, name="two")) as (_, two),
    ):
        tasks = {
            f"t{n}": {"entrypoint": "job", "payload": n, "schedule": {"every_s": 1}} for n in range(TASKS)
        }
        book.ledger.tenant(TENANT).define_many(tasks)
        await asyncio.wait_for(enough.wait(), 20)
        # They see each other all the time, and neither takes the other for dead.
        await one.hear("looked for absent processes", looked_at=2)
        await two.hear("looked for absent processes", looked_at=2)
    assert not one.all("process gone")
    assert not two.all("process gone")
    assert {name for name, _, _ in ran} == {"one", "two"}
    assert set(keys.values()) == {1}
    slots = Counter((task, slot) for _, task, slot in ran)
    assert set(slots.values()) == {1}
    # No slot of a task is left out between those that ran, and every row says which of the two it was.
    for task in tasks:
        own = sorted(slot for name, slot in slots if name == task)
        assert len(own) == 1 + (own[-1] - own[0]).total_seconds()
    closed = book.sql("SELECT key, state, result FROM ledger.occurrence WHERE started IS NOT NULL")
    assert {key for key, _, _ in closed} == set(keys)
    assert {(state, result) for _, state, result in closed} == {
        ("succeeded", '"one"'),
        ("succeeded", '"two"'),
    }
    assert book.one("SELECT count(*) FROM ledger.occurrence WHERE state = 'pending'") == TASKS
    assert book.one("SELECT count(*) FROM ledger.evidence") == 0


@pytest.mark.parametrize("retried", [True, False])
async def test_a_run_whose_process_ends_between_commit_and_hand_over_is_lost_and_its_series_goes_on(
    retried: bool, book: Book, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[tuple[int, str]] = []
    registry.handler("job")(lambda run: ran.append((run.attempt, run.wake)))
    members = {"retry": {"attempts": 1, "backoff_s": 0, "on": ["lost"]}} if retried else {}
    key = book.due("a", **members)

    class Died(Exception):
        """The process is no more."""

    def die(_: Workers, started: Sequence[object], *__: object) -> None:
        # A pass before the slot has come hands nothing over.
        if started:
            raise Died

    with monkeypatch.context() as patch:
        patch.setattr(Workers, "hand_over", die)
        ears = Ears()
        dying = Dispatcher(book.dsn, registry, SETTINGS, listener=ears)
        with pytest.raises(Died):
            await dying.run()
    assert ran == []
    state, dead, handed = book.row(key, "state, incarnation, handed")
    assert (state, handed) == ("running", None)
    # The commit came first, so its successor stands all the same (I4).
    assert book.open_rows("a") == 1
    async with at_work(book.dsn, registry, replace(SETTINGS, tick_s=0.1, period_s=0.1)) as (_, ears):
        await ears.hear("process gone", absent=dead, runs=1)
        if retried:
            await ears.hear("run written", task="a")
    assert book.state(key) == "lost"
    assert ran == ([(2, "retry:1")] if retried else [])
    assert book.open_rows("a") == 1
