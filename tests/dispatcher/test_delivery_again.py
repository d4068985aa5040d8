"""What a dead process had not sent is sent by another, under the same key; what it had sent is not."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from dispatcher import Dispatcher
from ledger.driver.connect import connect
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.moves.handing import note_handed, release, take_unhanded
from ledger.moves.presence import PRESENCE, lose, register, runs_of
from tests.dispatcher.desk import SETTINGS, TENANT, Book, at_work
from tests.dispatcher.program import Stage
from tests.dispatcher.receiver import Receiver, answer
from tests.dispatcher.stands import SECRET, hook, http

QUICK = replace(SETTINGS, period_s=0.2, tick_s=0.1)
SERVING = ("--delivery", "http", "--http-allow", "127.0.0.1")

# Whoever notes that a run is handed over waits while the test holds this lock.
HELD = 4242
HOLDING = f"""
    CREATE FUNCTION public.hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock({HELD}); RETURN NEW; END $$;
    CREATE TRIGGER hold BEFORE UPDATE OF handed ON ledger.occurrence FOR EACH ROW
        WHEN (NEW.handed IS DISTINCT FROM OLD.handed) EXECUTE FUNCTION public.hold();
"""


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setenv("LEDGER_WEBHOOK_SECRETS", SECRET)
    return Stage(tmp_path)


async def test_what_was_claimed_and_not_sent_is_sent_by_another(
    book: Book, stage: Stage, receiver: Receiver
) -> None:
    receiver.answers["/hook"] = answer(200, "{}")
    book.sql(HOLDING)
    with psycopg.connect(book.dsn, autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", (HELD,))
        with stage.running(book.dsn, *SERVING) as program:
            key = hook(book, receiver.url("/hook"), timeout_s=600)
            await asyncio.to_thread(program.hear, " looked ", "started=1")
            waiting = (
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
            )
            while book.one(waiting, HELD) == 0:
                await asyncio.sleep(0)
            program.tell(signal.SIGKILL)
            await asyncio.to_thread(program.end)
    assert receiver.requests == []
    async with at_work(book.dsn, None, QUICK, deliveries=http()) as (_, ears):
        await ears.hear("runs never sent, claimed over", runs=1)
        await ears.hear("run written", key=key)
    assert book.row(key, "state, incarnation") == ("succeeded", 2)
    assert [sent.headers["webhook-id"] for sent in receiver.requests] == [str(key)]
    assert book.one("SELECT count(*) FROM ledger.evidence") == 0


async def test_what_was_sent_and_not_answered_is_lost_with_its_process(
    book: Book, stage: Stage, receiver: Receiver
) -> None:
    """Nobody knows how far it came: that is for the author's `retry` to say, and not sent again unasked."""
    receiver.answers["/hook"] = receiver.hang
    with stage.running(book.dsn, *SERVING) as program:
        key = hook(book, receiver.url("/hook"), timeout_s=600)
        await receiver.came.acquire()
        program.tell(signal.SIGKILL)
        await receiver.given_up.acquire()
    async with at_work(book.dsn, None, QUICK, deliveries=http()) as (_, ears):
        await ears.hear("looked for absent processes", lost=1)
    assert book.state(key) == "lost"
    assert len(receiver.requests) == 1


async def test_what_was_taken_on_is_nobodys_to_lose(book: Book, stage: Stage, receiver: Receiver) -> None:
    receiver.answers["/hook"] = answer(202)
    with stage.running(book.dsn, *SERVING) as program:
        key = hook(book, receiver.url("/hook"), timeout_s=600)
        while book.row(key, "handed IS NOT NULL, incarnation") != (True, None):
            await asyncio.sleep(0)  # the ledger tells, not the clock
        program.tell(signal.SIGKILL)
        await asyncio.to_thread(program.end)
    async with at_work(book.dsn, None, QUICK, deliveries=http()) as (_, ears):
        gone = await ears.hear("process gone")
        assert gone["runs"] == 0
    assert book.state(key) == "running"
    assert book.ledger.tenant(TENANT).finish(key, "succeeded").state == "succeeded"
    assert len(receiver.requests) == 1


async def test_one_pass_sends_too_what_a_process_that_is_gone_had_not(
    machine: Machine, book: Book, receiver: Receiver
) -> None:
    """Two passes from cron are the two looks: the second finds it gone, and sends under the same key."""
    receiver.answers["/hook"] = answer(200, "{}")
    gone = machine.life()
    machine.book.sql(
        "UPDATE ledger.incarnation SET held = true, absent_since = pg_postmaster_start_time() WHERE id = %s",
        gone,
    )
    key = machine.running("it", gone, url=receiver.url("/hook"))
    done = await Dispatcher(book.dsn, None, QUICK, deliveries=http()).tick()
    assert done.problems == [f'process gone absent={gone} slot=slot host=host why="absent twice" runs=1']
    assert book.row(key, "state, incarnation") == ("succeeded", done.incarnation)
    assert [sent.headers["webhook-id"] for sent in receiver.requests] == [str(key)]


class Machine:
    """Moves as a dispatcher makes them, for incarnations that nobody holds."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.connection = connect(book.dsn)
        self.scope = Scope("dispatcher")

    def life(self) -> int:
        return run(self.connection, register("slot", "host"), self.scope)

    def running(self, task: str, life: int, delivery: str = "http", url: str = "http://127.0.0.1/") -> UUID:
        """A run of that incarnation's, not handed over."""
        key = hook(self.book, url, task, payload=task)
        self.book.sql(
            "UPDATE ledger.occurrence SET state = 'running', started = now(), incarnation = %s,"
            " deadline = now() + interval '1 hour', delivery = %s WHERE key = %s",
            life,
            delivery,
            key,
        )
        return key

    def note(self, keys: Collection[UUID], *lives: int) -> frozenset[UUID]:
        return run(self.connection, note_handed(TENANT, keys, lives), self.scope)

    def take(self, gone: int, new: int, keys: Collection[UUID]) -> frozenset[UUID]:
        return run(self.connection, take_unhanded(TENANT, gone, new, keys), self.scope)


@pytest.fixture
def machine(book: Book) -> Iterator[Machine]:
    made = Machine(book)
    yield made
    made.connection.close()


def test_only_what_is_ones_own_and_runs_may_be_sent(machine: Machine) -> None:
    former, mine, other = (machine.life() for _ in range(3))
    keys = [machine.running("a", mine), machine.running("b", former), machine.running("c", other)]
    closed = machine.running("d", mine)
    machine.book.ledger.tenant(TENANT).cancel(closed)
    sent = machine.note([*keys, closed], mine, former)
    assert sent == set(keys[:2])
    handed = [machine.book.row(key, "handed")[0] for key in keys]
    assert [moment is not None for moment in handed] == [True, True, False]
    # An answer that was lost is asked for again: the same, and no second note (I15).
    assert machine.note(keys, mine, former) == sent
    assert [machine.book.row(key, "handed")[0] for key in keys] == handed


def test_of_two_processes_one_takes_over_what_was_not_sent(machine: Machine) -> None:
    gone, one, two = (machine.life() for _ in range(3))
    sent, unsent = machine.running("a", gone), machine.running("b", gone)
    machine.note([sent], gone)
    assert machine.take(gone, one, [sent, unsent]) == {unsent}
    assert machine.take(gone, two, [sent, unsent]) == frozenset()
    # Whoever was taken for dead, and is not, sends nothing any more.
    assert machine.note([unsent], gone) == frozenset()
    assert machine.note([unsent], one) == {unsent}


def test_nothing_is_taken_from_a_process_that_is_there(machine: Machine) -> None:
    gone, one = machine.life(), machine.life()
    key = machine.running("a", gone)
    with psycopg.connect(machine.book.dsn, autocommit=True) as back:
        back.execute("SELECT pg_advisory_lock(%s, %s)", (PRESENCE, gone))
        assert machine.take(gone, one, [key]) == frozenset()
        back.execute("SELECT pg_advisory_unlock(%s, %s)", (PRESENCE, gone))
        assert machine.take(gone, one, [key]) == {key}


def test_a_sweep_loses_what_was_sent_and_leaves_what_can_be_sent_again(machine: Machine) -> None:
    gone = machine.life()
    keys = {
        "sent": machine.running("a", gone),
        "unsent": machine.running("b", gone),
        "queued": machine.running("c", gone, "celery"),
        "command": machine.running("d", gone, "command"),
        "python": machine.running("e", gone, "python"),
    }
    machine.note([keys["sent"]], gone)
    runs = run(machine.connection, runs_of(gone), machine.scope)
    run(machine.connection, lose(TENANT, gone, runs, "sweep"), machine.scope)
    states = {name: machine.book.state(key) for name, key in keys.items()}
    lost, left = "lost", "running"
    assert states == {"sent": lost, "unsent": left, "queued": left, "command": lost, "python": lost}


def test_what_is_taken_on_belongs_to_no_process(machine: Machine) -> None:
    mine = machine.life()
    key = machine.running("a", mine)
    assert run(machine.connection, release(TENANT, [key], [mine]), machine.scope) == {key}
    assert machine.book.row(key, "state, incarnation, handed IS NULL") == ("running", None, False)
    assert run(machine.connection, release(TENANT, [key], [mine]), machine.scope) == frozenset()
