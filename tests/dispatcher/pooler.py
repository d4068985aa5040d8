"""A transaction pooler as small as one can be: a client has a server process for each transaction, no longer.

Like pgbouncer in its transaction mode, the process that was given back last is given out first.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from psycopg.conninfo import conninfo_to_dict, make_conninfo

Pipe = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def pooled(dsn: str) -> AsyncIterator[str]:
    """A DSN that leads through the pooler to the database of `dsn`, a socket that asks for no password."""
    pooler = _Pooler(dsn)
    server = await asyncio.start_server(pooler.serve, "127.0.0.1", 0)
    try:
        yield make_conninfo(
            dsn,
            host="127.0.0.1",
            port=server.sockets[0].getsockname()[1],
            sslmode="disable",
            gssencmode="disable",
        )
    finally:
        server.close()
        for _, writer in pooler.all:
            writer.transport.abort()
        for task in pooler.tasks:
            task.cancel()
        await asyncio.gather(*pooler.tasks, return_exceptions=True)
        # A transport that was aborted is closed in the loop's next turn.
        await asyncio.sleep(0)


class _Pooler:
    def __init__(self, dsn: str) -> None:
        self.there = conninfo_to_dict(dsn)
        self.free: list[Pipe] = []
        self.all: list[Pipe] = []
        self.tasks: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                await self._talk(reader, writer)
        finally:
            writer.transport.abort()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _untyped(reader)
        writer.write(_GREETING)
        lent: Pipe | None = None
        while (message := await _typed(reader))[:1] != b"X":
            lent = lent or (self.free.pop() if self.free else await self._open())
            lent[1].write(message)
            if message[:1] in b"QS" and await _answer(lent[0], writer) == b"I":
                self.free.append(lent)
                lent = None

    async def _open(self) -> Pipe:
        """A new server process, greeted and ready."""
        path = f"{self.there['host']}/.s.PGSQL.{self.there['port']}"
        pipe = await asyncio.open_unix_connection(path)
        body = struct.pack("!i", 196_608)
        for name, value in (("user", self.there["user"]), ("database", self.there["dbname"])):
            body += f"{name}\x00{value}\x00".encode()
        pipe[1].write(struct.pack("!i", len(body) + 5) + body + b"\x00")
        while (await _typed(pipe[0]))[:1] != b"Z":
            pass
        self.all.append(pipe)
        return pipe


async def _untyped(reader: asyncio.StreamReader) -> bytes:
    size = await reader.readexactly(4)
    return size + await reader.readexactly(struct.unpack("!i", size)[0] - 4)


async def _typed(reader: asyncio.StreamReader) -> bytes:
    return await reader.readexactly(1) + await _untyped(reader)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """Pass an answer on until the server is ready again; whether it is in a transaction."""
    while True:
        message = await _typed(reader)
        writer.write(message)
        if message[:1] == b"Z":
            return message[5:6]


def _status(name: str, value: str) -> bytes:
    body = f"{name}\x00{value}\x00".encode()
    return b"S" + struct.pack("!i", len(body) + 4) + body


# Welcome, what a client wants to know of a server, no key to cancel by, ready.
_GREETING = (
    b"R\x00\x00\x00\x08\x00\x00\x00\x00"
    + _status("server_version", "18.0")
    + _status("client_encoding", "UTF8")
    + _status("TimeZone", "UTC")
    + _status("integer_datetimes", "on")
    + _status("standard_conforming_strings", "on")
    + b"Z\x00\x00\x00\x05I"
)
