"""Connections as moves need them, and how one wire is sent over them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from struct import Struct
from typing import TypeAlias

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Format
from psycopg.rows import TupleRow, tuple_row
from psycopg.types.datetime import TimestamptzBinaryLoader

from ledger.driver.arrays import ArrayDumper
from ledger.errors import BadInput, Unreachable

SyncConnection: TypeAlias = psycopg.Connection[TupleRow]
AsyncConnection: TypeAlias = psycopg.AsyncConnection[TupleRow]

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECONDS = Struct("!q").unpack
# For speed alone: nothing may depend on the zone of a session.
# And which server process answers.
_IN_UTC = b"SELECT set_config('TimeZone', 'UTC', false), pg_backend_pid()"


class UtcLoader(Loader):
    """timestamptz as an aware datetime in UTC, whatever zone the session has (I9)."""

    format = Format.BINARY

    def load(self, data: Buffer) -> datetime:
        return _EPOCH + timedelta(microseconds=_MICROSECONDS(data)[0])


# psycopg's own, whatever was registered on a caller's connection, and what is special here.
_ADAPTERS = AdaptersMap(psycopg.adapters)
_ADAPTERS.register_loader("timestamptz", UtcLoader)
_ADAPTERS.register_dumper(list, ArrayDumper)
# In a session whose zone is UTC psycopg's own loader answers the same, in C: 0.1 microseconds instead of 0.7.
_ADAPTERS_IN_UTC = AdaptersMap(_ADAPTERS)
_ADAPTERS_IN_UTC.register_loader("timestamptz", TimestamptzBinaryLoader)


def _adapters(connection: SyncConnection | AsyncConnection) -> AdaptersMap:
    in_utc = connection.pgconn.parameter_status(b"TimeZone") == b"UTC"
    return _ADAPTERS_IN_UTC if in_utc else _ADAPTERS


class Cursor(psycopg.Cursor[TupleRow]):
    """Binary, plain tuples, instants in UTC, whatever the connection's own habits are."""

    def __init__(self, connection: SyncConnection) -> None:
        super().__init__(connection, row_factory=tuple_row)
        self.format = Format.BINARY
        self._adapters = _adapters(connection)


class AsyncCursor(psycopg.AsyncCursor[TupleRow]):
    """The same for asyncio."""

    def __init__(self, connection: AsyncConnection) -> None:
        super().__init__(connection, row_factory=tuple_row)
        self.format = Format.BINARY
        self._adapters = _adapters(connection)


# Server and client notice a dead peer within seconds instead of hours.
KEEPALIVE: dict[str, int] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


def connect(dsn: str, *, application: str = "ledger") -> SyncConnection:
    """A sync connection in autocommit, so that a move's BEGIN is its own.

    Raises `BadInput` for a DSN that cannot be read, `Unreachable` where no server answers.
    """
    try:
        connection = psycopg.connect(conninfo(dsn, application), autocommit=True)
        suit(connection)
    except psycopg.Error as error:
        raise not_connected(error) from error
    return connection


async def aconnect(dsn: str, *, application: str = "ledger") -> AsyncConnection:
    """The same for asyncio."""
    try:
        connection = await psycopg.AsyncConnection.connect(conninfo(dsn, application), autocommit=True)
        await asuit(connection)
    except psycopg.Error as error:
        raise not_connected(error) from error
    return connection


def suit(connection: SyncConnection) -> None:
    """Make a new connection read times in UTC, and prepare nothing where a pooler stands before the server.

    There another session would be asked for what this one has prepared. A pooler has numbers of its own for
    those who may cancel: the one that it greets with is not that of the process that answers.
    """
    _prepare(connection, connection.execute(_IN_UTC).fetchone())


async def asuit(connection: AsyncConnection) -> None:
    """The same for asyncio."""
    _prepare(connection, await (await connection.execute(_IN_UTC)).fetchone())


def _prepare(connection: SyncConnection | AsyncConnection, row: TupleRow | None) -> None:
    if row is None or row[1] != connection.info.backend_pid:
        connection.prepare_threshold = None


def conninfo(dsn: str, application: str) -> str:
    """The DSN with the keepalive settings that it leaves open.

    Raises `BadInput` for a DSN that cannot be read.
    """
    try:
        given = conninfo_to_dict(dsn)
        whole = make_conninfo(
            dsn, **{k: v for k, v in KEEPALIVE.items() if k not in given}, application_name=application
        )
    except psycopg.Error as error:
        raise _unreadable(str(error)) from error
    for port in str(given.get("port") or "5432").split(","):
        if port and not (port.isdecimal() and 0 < int(port) < 65_536):
            raise _unreadable(f"{port!r} is no port")
    return whole


def not_connected(error: psycopg.Error) -> BadInput | Unreachable:
    """The error for a connection that was not made: the server does not answer, or was asked for wrongly.

    libpq reads the values of a DSN only when it connects.
    """
    text = str(error)
    if isinstance(error, psycopg.ProgrammingError) or text.startswith("connection is bad: invalid"):
        return _unreadable(text)
    return unreachable(error)


def _unreadable(why: str) -> BadInput:
    # What libpq quotes may be a piece of a password.
    said = " ".join(re.sub(r'"[^"]*"', "a part of it", why).split())
    return BadInput(f"the DSN cannot be read ({said}); write postgresql://USER@HOST:PORT/DATABASE")


def unreachable(error: psycopg.Error) -> Unreachable:
    """The error for a server that does not answer, without the secrets of its DSN."""
    return Unreachable(f"the database cannot be reached: {' '.join(str(error).split())}")
