"""Each kind of delivery with someone at its other end who does as an entrypoint's name says."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from dispatcher import Registry, Run
from dispatcher.deliveries.command import Command
from dispatcher.deliveries.http import Http
from dispatcher.deliveries.protocol import Delivery
from dispatcher.deliveries.signature import Signer
from tests.dispatcher.desk import PATIENCE_S, Book, at_work
from tests.dispatcher.receiver import answer, receiving

SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"  # noqa: S105 - a test's own
LONG = 200_000


@dataclass
class Stand:
    """A kind, ready: `member(what)` are the members of a task whose run does that: `succeed`, `fail`,
    `crumb`, `oversize`, `hang`, `crash`, `unknown`. `begun` and `told` wait until a run that hangs began, or
    was ended.
    """

    member: Callable[[str], dict[str, object]]
    begun: Callable[[], Awaitable[object]]
    told: Callable[[], Awaitable[object]]
    registry: Registry | None = None
    deliveries: dict[str, Delivery] = field(default_factory=dict)
    # What an error says of a run that failed, that crashed, and that nobody knows.
    failed: str = "no such report"
    crashed: str = ""
    unknown: str = ""


@asynccontextmanager
async def coroutines(_: Path) -> AsyncIterator[Stand]:
    registry, begun, told = Registry(), asyncio.Semaphore(0), asyncio.Semaphore(0)

    async def hang(__: Run) -> None:
        begun.release()
        try:
            await asyncio.Event().wait()
        finally:
            told.release()

    async def do(run: Run) -> object:
        return _do(run)

    for name in ("succeed", "fail", "crumb", "oversize", "crash"):
        registry.handler(name)(do)
    registry.handler("hang")(hang)
    yield Stand(
        lambda what: {"entrypoint": what},
        begun.acquire,
        told.acquire,
        registry,
        crashed="SystemExit: 3",
        unknown="no handler is registered for the entrypoint 'unknown'",
    )


@asynccontextmanager
async def threads(_: Path) -> AsyncIterator[Stand]:
    registry, begun, told = Registry(), threading.Semaphore(0), threading.Semaphore(0)

    def hang(run: Run) -> None:
        begun.release()
        if run.cancelled.wait(PATIENCE_S):
            told.release()

    for name in ("succeed", "fail", "crumb", "oversize", "crash"):
        registry.handler(name)(_do)
    registry.handler("hang")(hang)
    yield Stand(
        lambda what: {"entrypoint": what},
        lambda: asyncio.to_thread(begun.acquire, True, PATIENCE_S),
        lambda: asyncio.to_thread(told.acquire, True, PATIENCE_S),
        registry,
        crashed="SystemExit: 3",
        unknown="no handler is registered for the entrypoint 'unknown'",
    )


def _do(run: Run) -> object:
    what = str(run.payload)
    if what == "fail":
        raise ValueError("no such report")
    if what == "crash":
        raise SystemExit(3)
    if what == "crumb":
        run.breadcrumb("half way")
    return "é" * LONG if what == "oversize" else {"did": what}


@asynccontextmanager
async def webhooks(_: Path) -> AsyncIterator[Stand]:
    async with receiving() as receiver:
        begun = asyncio.Semaphore(0)

        async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            begun.release()
            await receiver.hang(reader, writer)

        async def crash(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.close()

        receiver.answers |= {
            "/succeed": answer(200, '{"did": "succeed"}'),
            "/fail": answer(200, '{"status": "failed", "error": "no such report"}'),
            "/crumb": answer(201, '{"did": "crumb", "breadcrumb": "half way"}'),
            "/oversize": answer(200, '"' + "é" * LONG + '"'),
            "/unknown": answer(404, "nobody here"),
            "/hang": hang,
            "/crash": crash,
        }
        yield Stand(
            lambda what: {"delivery": "http", "entrypoint": receiver.url(f"/{what}")},
            begun.acquire,
            receiver.given_up.acquire,
            deliveries={"http": Http(Signer(SECRET), ["127.0.0.1"])},
            crashed="no answer from '127.0.0.1'",
            unknown="'127.0.0.1' answered 404: 'nobody here'",
        )


SCRIPT = """#!/bin/sh
case "$1" in
    succeed) echo '{"did": "succeed"}' ;;
    fail) echo 'no such report' >&2; exit 3 ;;
    crumb) echo '{"did": "crumb", "breadcrumb": "half way"}' ;;
    oversize) head -c 400000 /dev/zero | tr '\\0' x ;;
    crash) kill -9 $$ ;;
    hang) exec 3>"$2"; echo began >&3; sleep 1000; echo went on ;;
esac
"""


@asynccontextmanager
async def commands(folder: Path) -> AsyncIterator[Stand]:
    program, pipe = folder / "program", folder / "pipe"
    program.write_text(SCRIPT)
    program.chmod(0o755)
    os.mkfifo(pipe)
    reading: list[int] = []

    def began() -> None:
        # Waits until somebody has opened the other end.
        reading.append(os.open(pipe, os.O_RDONLY))
        assert os.read(reading[0], 100) == b"began\n"

    def over() -> None:
        # The end of the pipe: nobody is left of the whole group who holds it.
        assert os.read(reading[0], 100) == b""
        os.close(reading[0])

    def member(what: str) -> dict[str, object]:
        if what == "unknown":
            return {"delivery": "command", "entrypoint": "unknown"}
        arguments = [what, *([str(pipe)] if what == "hang" else [])]
        return {"delivery": "command", "entrypoint": str(program), "arguments": arguments}

    yield Stand(
        member,
        lambda: asyncio.to_thread(began),
        lambda: asyncio.to_thread(over),
        deliveries={"command": Command([str(program)])},
        failed="exit code 3: no such report",
        crashed="ended by SIGKILL",
        unknown="the command 'unknown' is not allowed here",
    )


STANDS: dict[str, Callable[[Path], AbstractAsyncContextManager[Stand]]] = {
    "coroutines": coroutines,
    "threads": threads,
    "http": webhooks,
    "command": commands,
}


def http(allowed: Sequence[str] = ("127.0.0.1",), secrets: str = SECRET) -> dict[str, Http]:
    """The kind `http` alone."""
    return {"http": Http(Signer(secrets), allowed)}


def hook(book: Book, url: str, task: str = "it", **members: object) -> UUID:
    """A task whose webhook is due at once; its key."""
    return book.due(task, url, delivery="http", **members)


async def hooked(book: Book, url: str, kinds: dict[str, Http]) -> tuple[object, ...]:
    """One webhook to that address; state, outcome, result, error."""
    async with at_work(book.dsn, None, deliveries=kinds) as (_, ears):
        key = hook(book, url)
        await ears.hear("run written", key=key)
    assert book.open_rows("it") == 1
    return book.row(key, "state, outcome, result, error")
