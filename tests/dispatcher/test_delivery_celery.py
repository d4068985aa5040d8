"""Celery: runs go through a real broker to real workers, which finish them by their keys."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from celery import Celery as App

from dispatcher.deliveries.celery import Celery
from tests.dispatcher.desk import PATIENCE_S, SETTINGS, Book, at_work
from tests.servers.databases import Databases
from tests.servers.programs import NotAtHand
from tests.servers.redis import private_redis

CHECKOUT = Path(__file__).resolve().parents[2]
ROUNDS = replace(SETTINGS, period_s=0.2)
LISTENING = """
    CREATE FUNCTION public.tell() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_notify('closed', NEW.key::text); RETURN NEW; END $$;
    CREATE TRIGGER tell AFTER UPDATE OF closed ON ledger.occurrence FOR EACH ROW
        WHEN (NEW.closed IS NOT NULL) EXECUTE FUNCTION public.tell();
"""


@contextmanager
def worker(
    name: str, broker: str, dsn: str, app: str = "tests.dispatcher.celery_jobs"
) -> Iterator[subprocess.Popen[str]]:
    """A worker of Celery with two processes, ready."""
    command = f"{sys.executable} -m celery -A {app} worker --concurrency 2"
    quiet = "--without-gossip --without-mingle --without-heartbeat --loglevel INFO"
    with subprocess.Popen(
        [*command.split(), "-n", f"{name}@%h", *quiet.split()],
        cwd=CHECKOUT,
        env=os.environ | {"BROKER": broker, "CELERY_BROKER": broker, "LEDGER_DSN": dsn},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        said: list[str] = []
        ready = threading.Event()

        def listen() -> None:
            assert process.stderr is not None
            for line in process.stderr:
                said.append(line)
                if line.rstrip().endswith("ready."):
                    ready.set()

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            assert ready.wait(PATIENCE_S * 3), "".join(said)
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            listener.join()  # else it would read on what leaving this block closes


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        with private_redis(tmp_path_factory.mktemp("redis")) as address:
            yield address
    except NotAtHand as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def shop(broker: str, databases: Databases) -> Iterator[str]:
    """The DSN of a database whose runs two workers finish."""
    name = databases.clone()
    dsn = databases.dsn(name)
    with ExitStack() as stack:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(LISTENING)
        for n in ("one", "two"):
            stack.enter_context(worker(n, broker, dsn))
        yield dsn
    databases.drop(name)


@pytest.fixture
def book(shop: str) -> Iterator[Book]:
    made = Book(shop)
    made.sql("TRUNCATE ledger.occurrence, ledger.task, ledger.act, ledger.evidence")
    yield made
    made.close()


def kinds(broker: str) -> dict[str, Celery]:
    return {"celery": Celery(App("jobs", broker=broker))}


def due(book: Book, entrypoint: str, task: str = "it", **members: object) -> UUID:
    return book.due(task, entrypoint, delivery="celery", **members)


async def closed(book: Book, *keys: UUID) -> None:
    """Wait until these runs are closed, whoever closes them."""

    def wait() -> None:
        with psycopg.connect(book.dsn, autocommit=True) as connection:
            connection.execute("LISTEN closed")
            while True:
                running = "SELECT count(*) FROM ledger.occurrence WHERE key = ANY (%s) AND closed IS NULL"
                if connection.execute(running, (list(keys),)).fetchone() == (0,):
                    return
                told = list(connection.notifies(timeout=PATIENCE_S, stop_after=1))
                assert told, f"some of {keys} were never closed"

    await asyncio.to_thread(wait)


async def outcome(book: Book, broker: str, entrypoint: str, **members: object) -> tuple[object, ...]:
    """One run of that task; state, result, error, crumb, who closed it."""
    async with at_work(book.dsn, None, deliveries=kinds(broker)) as (_, ears):
        key = due(book, entrypoint, **members)
        await ears.hear("run handed off", key=key)
        await closed(book, key)
    assert book.open_rows("it") == 1
    state, result, error, crumb, by = book.row(key, "state, result, error, crumb, closed_by")
    assert str(by).startswith("celery ")
    return state, result, error, crumb


async def test_runs_are_done_by_the_workers_under_their_keys(book: Book, broker: str) -> None:
    async with at_work(book.dsn, None, deliveries=kinds(broker)):
        keys = [due(book, "succeed", f"t{n}", payload={"n": n}) for n in range(12)]
        await closed(book, *keys)
    workers = set()
    for n, key in enumerate(keys):
        state, result, due_, started, wake = book.row(key, "state, result, due, started, wake")
        found = json.loads(str(result))
        assert state == "succeeded"
        assert found["id"] == found["run"]["key"] == str(key)
        assert (found["run"]["payload"], found["run"]["wake"]) == ({"n": n}, wake)
        assert isinstance(started, datetime)
        assert isinstance(due_, datetime)
        assert found["run"]["lateness"] == (started - due_).total_seconds()
        workers.add(found["pid"])
        assert book.open_rows(f"t{n}") == 1
    assert len(workers) == 2, "both workers did some"
    assert book.one("SELECT count(*) FROM ledger.evidence") == 0


@pytest.mark.parametrize(
    ("entrypoint", "ends", "error", "crumb"),
    [
        ("fail", "failed", "ValueError: no such report: why", None),
        ("in_band", "failed", "no such report", "half way"),
        ("crumb", "succeeded", None, "half way"),
        ("crash", "failed", "WorkerLostError: ", None),
        ("unknown", "failed", "no Celery task is registered under the name 'unknown'", None),
    ],
)
async def test_however_a_task_ends_its_run_ends_so(  # noqa: PLR0917 - a table's columns
    entrypoint: str, ends: str, error: str | None, crumb: str | None, book: Book, broker: str
) -> None:
    found = await outcome(book, broker, entrypoint, payload="why")
    assert (found[0], found[3]) == (ends, crumb)
    assert (error or "None") in str(found[2])


async def test_a_result_beyond_the_bound_is_cut_with_a_mark(book: Book, broker: str) -> None:
    state, result, *_ = await outcome(book, broker, "oversize")
    assert state == "succeeded"
    assert 65_000 < len(str(result).encode()) <= 65_536
    assert str(result).endswith("… (cut)")


async def test_a_run_outlives_the_dispatcher_that_sent_it(book: Book, broker: str, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    async with at_work(book.dsn, None, deliveries=kinds(broker)) as (_, ears):
        key = due(book, "gated", payload=str(gate))
        await ears.hear("run handed off", key=key)
    assert book.row(key, "state, incarnation, handed IS NULL") == ("running", None, False)
    async with at_work(book.dsn, None, ROUNDS, deliveries=kinds(broker)) as (_, ears):
        await ears.hear("looked for absent processes", times=4)
        assert book.state(key) == "running"
    await asyncio.to_thread(gate.write_text, "let through")
    await closed(book, key)
    assert book.row(key, "state, result") == ("succeeded", '"let through"')


async def test_a_run_past_its_deadline_is_closed_and_what_comes_later_is_evidence(
    book: Book, broker: str, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    async with at_work(book.dsn, None, ROUNDS, deliveries=kinds(broker)) as (_, ears):
        key = due(book, "gated", payload=str(gate), timeout_s=3)
        fine = due(book, "succeed", "fine")
        await closed(book, fine)
        assert book.state(key) == "running", "nothing else is late for it"
        await ears.hear("looked for overdue runs", closed=1)
        assert book.row(key, "state, error") == ("timed_out", "its deadline passed")
        await asyncio.to_thread(gate.write_text, "let through")
    while not book.sql("SELECT 1 FROM ledger.evidence WHERE key = %s AND what = 'late finish'", key):
        await asyncio.sleep(0)
    assert book.state(key) == "timed_out"


async def test_a_failure_is_tried_again_as_its_author_asked(book: Book, broker: str) -> None:
    async with at_work(book.dsn, None, replace(ROUNDS, tick_s=0.1), deliveries=kinds(broker)) as (_, ears):
        due(book, "fail", payload="why", retry={"attempts": 1, "backoff_s": 0})
        second = await ears.hear("run handed off", times=2)
        await closed(book, UUID(str(second["key"])))
    states = book.sql("SELECT wake, state FROM ledger.occurrence WHERE closed IS NOT NULL ORDER BY started")
    assert states == [("schedule", "failed"), ("retry:1", "failed")]


async def test_a_broker_that_is_not_there_fails_the_run_with_its_name(book: Book) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with at_work(book.dsn, None, deliveries=kinds(f"redis://127.0.0.1:{port}/0")) as (_, ears):
        key = due(book, "succeed")
        await ears.hear("run written", key=key)
    state, error = book.row(key, "state, error")
    assert state == "failed"
    assert "the broker took no message" in str(error)
    assert str(port) in str(error)
    assert book.open_rows("it") == 1


async def test_the_example_does_its_effect_once_though_its_message_comes_twice(
    broker: str, databases: Databases
) -> None:
    name = databases.clone()
    dsn = databases.dsn(name)
    broker = broker.removesuffix("/0") + "/1"
    environment = os.environ | {"CELERY_BROKER": broker, "LEDGER_DSN": dsn}
    with worker("example", broker, dsn, "examples.celery_jobs"):
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-W", "error", "-m", "examples.celery_jobs"],
            cwd=CHECKOUT,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, "")
        key, _, state = done.stdout.strip().partition(": ")
        assert state in ("running", "succeeded")
        book = Book(dsn)
        book.sql(LISTENING)
        await closed(book, UUID(key))
        assert book.row(UUID(key), "state, result") == ("succeeded", '{"sent": true}')
        # As a broker does that thinks a worker gone.
        run = {"tenant": "acme", "key": key}
        App("jobs", broker=broker).send_task(
            "report", [run], task_id=key, headers={"ledger_tenant": "acme"}, ignore_result=True
        )
        while not (late := book.sql("SELECT detail FROM ledger.evidence WHERE what = 'late finish'")):
            await asyncio.sleep(0)
        assert late == [('succeeded: {"sent": false}',)]
        assert book.one("SELECT count(*) FROM example_report") == 1
        book.close()
    databases.drop(name)
