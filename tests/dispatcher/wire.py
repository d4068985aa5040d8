"""A TCP proxy that loses what a network can lose: connections, and the answer to a COMMIT."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from psycopg.conninfo import conninfo_to_dict, make_conninfo

# The tag by which the server says that a transaction has been committed.
COMMITTED = b"C\x00\x00\x00\x0bCOMMIT\x00"


class Wire:
    """Forwards to one server. `lose_commit(line)` cuts that line once, after something was written on it."""

    def __init__(self, dsn: str) -> None:
        there = conninfo_to_dict(dsn)
        self._host, self._port = str(there["host"]), int(str(there["port"]))
        self._lose: tuple[str, bytes, bool] | None = None
        self.cuts = 0

    def lose_commit(self, line: str, after: bytes, *, done: bool) -> None:
        """Cut the line `ledger …` at the first COMMIT of a transaction that has sent `after`; where `done`, the
        server commits and the answer is lost, else the COMMIT itself never arrives.
        """
        self._lose = (line, after, done)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client's connection, both ways, until either end closes it."""
        theirs, ours = await asyncio.open_connection(self._host, self._port)
        first = await reader.read(65_536)
        found = re.search(rb"application_name\x00([^\x00]*)", first)
        line = found[1].decode() if found else ""
        ours.write(first)
        ways = [
            asyncio.create_task(self._there(line, reader, ours)),
            asyncio.create_task(self._back(line, theirs, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for end in (ours, writer):
                end.transport.abort()

    async def _there(self, line: str, reader: asyncio.StreamReader, ours: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            if self._lose is not None and line == self._lose[0]:
                if self._lose[1] in data:
                    self._lose = (line, b"", self._lose[2])
                if not self._lose[1] and not self._lose[2] and b"COMMIT" in data:
                    self._cut()
                    return
            ours.write(data)

    async def _back(self, line: str, theirs: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await theirs.read(65_536):
            armed = self._lose is not None and self._lose == (line, b"", True)
            if armed and COMMITTED in data:
                self._cut()
                return
            writer.write(data)

    def _cut(self) -> None:
        self._lose = None
        self.cuts += 1


@asynccontextmanager
async def wired(dsn: str) -> AsyncIterator[tuple[Wire, str]]:
    """A wire before the server of a TCP DSN, and the DSN that leads through it."""
    wire = Wire(dsn)
    tasks: set[asyncio.Task[None]] = set()

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(wire.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield wire, make_conninfo(dsn, host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable")
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
