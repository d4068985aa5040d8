"""A row that cannot be dealt with fails alone: the others of its batch start, and it is set aside (I12)."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest

from dispatcher import Registry, Run
from tests.dispatcher.desk import SETTINGS, Book, at_work

TICKING = replace(SETTINGS, tick_s=0.1)
ROUNDS = replace(SETTINGS, tick_s=0.1, period_s=0.2)


class Witness:
    """A handler that counts its runs."""

    def __init__(self, registry: Registry) -> None:
        self.begun: Counter[UUID] = Counter()

        @registry.handler("job")
        async def job(run: Run) -> str:
            self.begun[run.key] += 1
            if run.payload == "fails":
                raise ValueError("as it was told")
            return run.task


def damage(book: Book, key: UUID) -> None:
    """The definition of a row is no definition any more."""
    book.sql(
        "UPDATE ledger.definition d SET canonical = '{\"schedule\": 7}' FROM ledger.occurrence o"
        " WHERE o.key = %s AND d.tenant = o.tenant AND d.digest = o.digest",
        key,
    )


def remove(book: Book, key: UUID) -> None:
    """The definition of a row is not there any more."""
    book.sql(
        "DELETE FROM ledger.definition d USING ledger.occurrence o"
        " WHERE o.key = %s AND d.tenant = o.tenant AND d.digest = o.digest",
        key,
    )


def occupy(book: Book, key: UUID) -> None:
    """The slot of a row has its disposition already, under another key: its start breaks a guard (I8)."""
    book.sql(
        "INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination, due,"
        " fingerprint, key_version, lane, exclusive, run_at, made_by, created, state, started, closed)"
        " SELECT gen_random_uuid(), tenant, task, digest, delivery, wake, agent, destination, due,"
        " fingerprint, key_version, lane, exclusive, run_at, 'a vandal', now(), 'succeeded', now(), now()"
        " FROM ledger.occurrence WHERE key = %s",
        key,
    )


@pytest.mark.parametrize(
    ("harm", "said", "whole_batch"),
    [
        (damage, "cannot be read", False),
        (remove, "is not in the ledger", False),
        (occupy, "one_slot", True),
    ],
)
async def test_of_a_batch_with_a_poisoned_row_all_others_start(
    harm: object, said: str, whole_batch: bool, book: Book, registry: Registry
) -> None:
    witness = Witness(registry)
    poisoned = book.due("poisoned", tenant="evil")
    harm(book, poisoned)
    keys = [book.due(f"t{n}", tenant=f"tenant{n % 3}") for n in range(12)]
    async with at_work(book.dsn, registry, TICKING) as (_, ears):
        for key in keys:
            await ears.hear("run written", key=key)
        aside = await ears.hear("row set aside", key=poisoned)
        assert said in str(aside["why"])
        assert bool(ears.all("batch of claims failed, each row is claimed alone")) is whole_batch
    assert witness.begun == Counter(keys)
    assert {book.state(key) for key in keys} == {"succeeded"}
    state, blocked_by, reason, wait = book.row(poisoned, "state, blocked_by, reason, retry_at - now()")
    assert (state, blocked_by) == ("pending", poisoned)
    assert said in str(reason)
    assert isinstance(wait, timedelta)
    assert timedelta(seconds=30) < wait <= timedelta(seconds=60)


async def test_a_row_set_aside_is_tried_alone_when_its_time_has_come_and_waits_longer(
    book: Book, registry: Registry
) -> None:
    witness = Witness(registry)
    poisoned = book.due("poisoned")
    occupy(book, poisoned)
    async with at_work(book.dsn, registry, ROUNDS) as (_, ears):
        await ears.hear("row set aside", key=poisoned)
        for times, minutes in ((2, 2), (3, 4), (4, 8)):
            failed = len(ears.all("batch of claims failed, each row is claimed alone"))
            book.sql("UPDATE ledger.occurrence SET retry_at = now() WHERE key = %s", poisoned)
            await ears.hear("row set aside", times=times, key=poisoned)
            # It was tried alone: it never spoils a batch again.
            assert len(ears.all("batch of claims failed, each row is claimed alone")) == failed
            ((wait,),) = book.sql("SELECT retry_at - now() FROM ledger.occurrence WHERE key = %s", poisoned)
            assert isinstance(wait, timedelta)
            assert timedelta(minutes=minutes) * 0.9 < wait <= timedelta(minutes=minutes)
        # Mended, it starts, late as it is.
        book.sql("DELETE FROM ledger.occurrence WHERE made_by = 'a vandal'")
        book.sql("UPDATE ledger.occurrence SET retry_at = now() WHERE key = %s", poisoned)
        await ears.hear("run written", key=poisoned)
    assert witness.begun == Counter([poisoned])
    assert book.open_rows("poisoned") == 1


async def test_the_wait_of_a_row_set_aside_is_an_hour_at_most(book: Book, registry: Registry) -> None:
    Witness(registry)
    poisoned = book.due("poisoned")
    occupy(book, poisoned)
    book.sql('UPDATE ledger.occurrence SET history = \'[{"aside": 40}, {"x": 1}]\' WHERE key = %s', poisoned)
    async with at_work(book.dsn, registry, TICKING) as (_, ears):
        await ears.hear("row set aside", key=poisoned)
    wait, history = book.row(poisoned, "retry_at - now(), history")
    assert isinstance(wait, timedelta)
    assert timedelta(minutes=59) < wait <= timedelta(hours=1)
    assert history == [{"x": 1}, {"aside": 41}]


async def test_a_row_that_the_platform_starts_is_only_freed(book: Book, registry: Registry) -> None:
    Witness(registry)
    key = book.due("t", delivery="pull")
    book.sql(
        "UPDATE ledger.occurrence SET blocked_by = key, reason = 'failed', retry_at = now() WHERE key = %s",
        key,
    )
    async with at_work(book.dsn, registry, ROUNDS) as (_, ears):
        await ears.hear("looked for rows set aside", rows=1)
        rounds = len(ears.all("looked for rows set aside", rows=0))
        await ears.hear("looked for rows set aside", times=rounds + 1, rows=0)
    assert book.row(key, "state, blocked_by, retry_at") == ("pending", None, None)


async def test_a_row_that_is_held_is_passed_by_and_starts_once_it_is_free(
    book: Book, registry: Registry
) -> None:
    """A held row must hide none that comes due after it."""
    witness = Witness(registry)
    with psycopg.connect(book.dsn) as holder:
        held = book.due("held")
        holder.execute("SELECT FROM ledger.task WHERE task = 'held' FOR UPDATE")
        async with at_work(book.dsn, registry, replace(SETTINGS, tick_s=0.5)) as (_, ears):
            await ears.hear("looked", held=True, rows=0)
            free = book.due("free")
            await ears.hear("run written", key=free)
            assert book.state(held) == "pending"
            holder.rollback()
            await ears.hear("run written", key=held)
    assert witness.begun == Counter([held, free])


@pytest.mark.parametrize("on_retry", [True, False])
async def test_a_finish_that_fails_alone_keeps_no_other(
    on_retry: bool, book: Book, registry: Registry
) -> None:
    """The retry that a failure mints breaks a guard: the run is closed without it, and says so."""
    witness = Witness(registry)
    gate = asyncio.Event()

    @registry.handler("gated")
    async def gated(run: Run) -> None:
        await gate.wait()
        if run.payload == "fails":
            raise ValueError("as it was told")

    async with at_work(book.dsn, registry, TICKING) as (_, ears):
        bad = book.due("bad", "gated", payload="fails", retry={"attempts": 1})
        keys = [book.due(f"t{n}", "gated", payload=n) for n in range(5)]
        for key in (bad, *keys):
            await ears.hear("run handed over", key=key)
        if on_retry:
            # The lane of the retry is taken by a row of another key.
            lane = f"retry:1@{book.row(bad, 'due')[0]:%Y-%m-%dT%H:%M:%S.%fZ}"
            book.sql(
                "INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent,"
                " destination, due, fingerprint, key_version, lane, state, exclusive, run_at, made_by,"
                " created) SELECT gen_random_uuid(), tenant, task, digest, delivery, 'retry:1', agent,"
                " destination, due, fingerprint, key_version, %s, 'pending', exclusive, 'infinity',"
                " 'a vandal', now() FROM ledger.occurrence WHERE key = %s",
                lane,
                bad,
            )
        else:
            remove(book, bad)
        gate.set()
        for key in (bad, *keys):
            await ears.hear("run written", key=key)
        if on_retry:
            assert ears.all("batch of finishes failed, each is written alone") or ears.all(
                "finish failed alone"
            )
    assert {book.state(key) for key in keys} == {"succeeded"}
    state, error, reason = book.row(bad, "state, error, reason")
    assert (state, error) == ("failed", "ValueError: as it was told")
    if on_retry:
        assert "no retry, opening it failed" in str(reason)
        assert "one_open" in str(reason)
    assert witness.begun == Counter()
