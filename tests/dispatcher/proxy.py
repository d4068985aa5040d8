"""A TCP proxy that reads what passes and loses what a test says: the answer to a COMMIT, a whole connection.

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

Word = Literal["lose answer", "cut before"]


@dataclass(slots=True)
class Trap:
    """Springs once, at a COMMIT of the connection named `application`, in a transaction that sent `after`.

    "lose answer": the server commits, and its answer never arrives; "cut before": the COMMIT never does.
    """

    application: str
    after: bytes
    word: Word
    sprung: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class _Talk:
    """What is known of one connection."""

    application: str = ""
    prepared: dict[bytes, bytes] = field(default_factory=dict)
    # The statements sent since the last BEGIN.
    sent: list[bytes] = field(default_factory=list)
    mute: bool = False


class Proxy:
    """Stands before a server; `dsn` leads through it."""

    def __init__(self, dsn: str) -> None:
        self._there = conninfo_to_dict(dsn)
        self._given = dsn
        self.traps: list[Trap] = []
        self.dsn = ""
        self._writers: dict[str, list[asyncio.StreamWriter]] = {}

    @asynccontextmanager
    async def standing(self) -> AsyncIterator[Proxy]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.dsn = make_conninfo(self._given, host="127.0.0.1", port=port, sslmode="disable")
        try:
            yield self
        finally:
            server.close()
            for application in list(self._writers):
                self.cut(application)

    def trap(self, application: str, after: bytes, word: Word) -> Trap:
        made = Trap(application, after, word)
        self.traps.append(made)
        return made

    def cut(self, application: str) -> int:
        """Cut the connections of that name, at once; how many they were."""
        writers = self._writers.pop(application, [])
        for writer in writers:
            writer.transport.abort()
        return len(writers)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = str(self._there["host"]), int(str(self._there["port"]))
        to_server_reader, to_server = await asyncio.open_connection(host, port)
        talk = _Talk()
        up = asyncio.create_task(self._up(reader, writer, to_server, talk))
        down = asyncio.create_task(_down(to_server_reader, writer, talk))
        await asyncio.wait([up, down], return_when=asyncio.FIRST_COMPLETED)
        if talk.mute:
            # The server does what it was asked for, and nobody hears of it.
            await asyncio.wait([down])
        for task in (up, down):
            task.cancel()
        await asyncio.gather(up, down, return_exceptions=True)
        for each in (writer, to_server):
            each.transport.abort()

    async def _up(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, server: asyncio.StreamWriter, talk: _Talk
    ) -> None:
        """From the client to the server, message by message."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            first = await _message(reader)
            talk.application = _application(first)
            self._writers.setdefault(talk.application, []).append(writer)
            server.write(first)
            while True:
                head = await reader.readexactly(5)
                body = await reader.readexactly(struct.unpack("!i", head[1:])[0] - 4)
                if trap := self._springs(talk, _statement(head[:1], body, talk)):
                    if trap.word == "cut before":
                        trap.sprung.set()
                        return
                    talk.mute = True
                server.write(head + body)
                if talk.mute and head[:1] in b"QS":
                    await server.drain()
                    trap_sprung = next(t for t in self.traps if t.application == talk.application)
                    trap_sprung.sprung.set()
                    self.traps.remove(trap_sprung)
                    server.write_eof()
                    return

    def _springs(self, talk: _Talk, sql: bytes) -> Trap | None:
        if sql.startswith(b"BEGIN"):
            talk.sent.clear()
        talk.sent.append(sql)
        if sql != b"COMMIT":
            return None
        for trap in self.traps:
            if trap.application == talk.application and any(trap.after in each for each in talk.sent):
                if trap.word == "cut before":
                    self.traps.remove(trap)
                return trap
        return None


async def _message(reader: asyncio.StreamReader) -> bytes:
    """A message without a type: the first one of a connection."""
    size = await reader.readexactly(4)
    return size + await reader.readexactly(struct.unpack("!i", size)[0] - 4)


def _application(startup: bytes) -> str:
    parts = startup[8:].split(b"\x00")
    return dict(zip(parts[::2], parts[1::2], strict=False)).get(b"application_name", b"").decode()


def _statement(kind: bytes, body: bytes, talk: _Talk) -> bytes:
    """The text of the statement that a message is about; empty for other messages."""
    if kind == b"Q":
        return body.rstrip(b"\x00")
    if kind == b"P":
        name, text, _ = body.split(b"\x00", 2)
        talk.prepared[name] = text
    elif kind == b"B":
        _, name, _ = body.split(b"\x00", 2)
        return talk.prepared.get(name, b"")
    return b""


async def _down(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, talk: _Talk) -> None:
    """From the server to the client, unless the answer is to be lost."""
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            if not talk.mute:
                writer.write(data)
