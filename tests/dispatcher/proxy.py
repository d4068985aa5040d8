"""A TCP proxy that reads what passes, and loses what a test says: the answer to a COMMIT, a whole connection.

It speaks just enough of Postgres's protocol to know which statement a message carries, prepared ones too.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

from psycopg.conninfo import conninfo_to_dict, make_conninfo

Word = Literal["lose the answer", "lose the question", "hold the question", "hold the answer"]


@dataclass(slots=True)
class Trap:
    """Springs once: at a COMMIT on a connection of that name, after a statement with that text.

    The client's connection is cut, and the server has committed by then, or never hears of it, or hears of it
    only once `release` is set; an answer that is held comes once `release` is set, to a client that waits.
    `done` is set when nothing is left to happen.
    """

    application: str
    after: bytes
    word: Word
    sprung: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)
    done: asyncio.Event = field(default_factory=asyncio.Event)


class Proxy:
    """Stands before a server; `dsn` leads through it."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.there = conninfo_to_dict(dsn)
        self.traps: list[Trap] = []
        self.talks: set[Talk] = set()

    @asynccontextmanager
    async def standing(self) -> AsyncIterator[Proxy]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.dsn = make_conninfo(self.dsn, host="127.0.0.1", port=port, sslmode="disable")
        try:
            yield self
        finally:
            server.close()
            for talk in list(self.talks):
                talk.task.cancel()
            await asyncio.gather(*(talk.task for talk in self.talks), return_exceptions=True)

    def trap(self, application: str, after: str, word: Word) -> Trap:
        made = Trap(application, after.encode(), word)
        self.traps.append(made)
        return made

    def cut(self, application: str) -> int:
        """Cut the client's end of the connections of that name; how many they were."""
        cut = [talk for talk in self.talks if talk.application == application]
        for talk in cut:
            talk.client.transport.abort()
        return len(cut)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, server = await asyncio.open_connection(
            str(self.there["host"]), int(str(self.there["port"]))
        )
        task = asyncio.current_task()
        assert task is not None
        talk = Talk(self, writer, server, task)
        self.talks.add(talk)
        down = asyncio.create_task(talk.down(from_server))
        try:
            await talk.up(reader)
        finally:
            self.talks.discard(talk)
            writer.transport.abort()
            server.transport.abort()
            down.cancel()
            await asyncio.gather(down, return_exceptions=True)


class Talk:
    """One connection, and what was said on it."""

    def __init__(
        self,
        proxy: Proxy,
        client: asyncio.StreamWriter,
        server: asyncio.StreamWriter,
        task: asyncio.Task[None],
    ) -> None:
        self.application = ""
        self.client = client
        self.task = task
        self._proxy = proxy
        self._server = server
        self._prepared: dict[bytes, bytes] = {}
        # The statements sent since the last BEGIN.
        self._sent: list[bytes] = []
        self._answered = asyncio.Event()
        self._deaf = False
        # The event that an answer waits for.
        self._holding: asyncio.Event | None = None

    async def up(self, reader: asyncio.StreamReader) -> None:
        """From the client to the server, message by message, until a trap springs or one of them leaves."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            size = await reader.readexactly(4)
            startup = size + await reader.readexactly(struct.unpack("!i", size)[0] - 4)
            self.application = _application(startup)
            self._server.write(startup)
            while True:
                head = await reader.readexactly(5)
                message = head + await reader.readexactly(struct.unpack("!i", head[1:])[0] - 4)
                trap = self._trap(self._statement(message))
                if trap is not None:
                    # A statement of the extended protocol is whole with its Sync.
                    while message[:1] != b"Q" and head[:1] != b"S":
                        head = await reader.readexactly(5)
                        message += head + await reader.readexactly(struct.unpack("!i", head[1:])[0] - 4)
                    await self._spring(trap, message)
                    if trap.word == "hold the answer":
                        continue
                    return
                self._server.write(message)

    async def down(self, reader: asyncio.StreamReader) -> None:
        """From the server to the client."""
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                self._answered.set()
                if self._holding is not None:
                    await self._holding.wait()
                if not self._deaf and not self.client.transport.is_closing():
                    self.client.write(data)
        self._answered.set()
        self.client.transport.abort()

    async def _spring(self, trap: Trap, question: bytes) -> None:
        self._proxy.traps.remove(trap)
        self._answered.clear()
        if trap.word == "hold the question":
            self.client.transport.abort()
            trap.sprung.set()
            await trap.release.wait()
        elif trap.word == "lose the answer":
            # What the server answers from now on is for nobody.
            self._deaf = True
        elif trap.word == "hold the answer":
            self._holding = trap.release
        if trap.word != "lose the question":
            self._server.write(question)
            await self._answered.wait()
        trap.sprung.set()
        trap.done.set()

    def _statement(self, message: bytes) -> bytes:
        """The text of the statement that a message is about; empty for other messages."""
        kind, body = message[:1], message[5:]
        if kind == b"Q":
            return body.rstrip(b"\x00")
        if kind == b"P":
            name, text, _ = body.split(b"\x00", 2)
            self._prepared[name] = text
        elif kind == b"B":
            _, name, _ = body.split(b"\x00", 2)
            return self._prepared.get(name, b"")
        return b""

    def _trap(self, statement: bytes) -> Trap | None:
        if statement.startswith(b"BEGIN"):
            self._sent.clear()
        self._sent.append(statement)
        if statement == b"COMMIT":
            for trap in self._proxy.traps:
                if trap.application == self.application and any(trap.after in each for each in self._sent):
                    return trap
        return None


def _application(startup: bytes) -> str:
    parts = startup[8:].split(b"\x00")
    return dict(zip(parts[::2], parts[1::2], strict=False)).get(b"application_name", b"").decode()
