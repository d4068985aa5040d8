"""The session that shows a process to be there: one direct connection, one advisory lock, one watched socket.

Nobody queries on it. The process watches it for its loss, and is told on it of acts that opened a row: a hint
that is never needed. Keepalives let the process notice a cut before the server gives its lock away.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ledger.driver.connect import AsyncConnection, AsyncCursor, aconnect
from ledger.driver.transaction import meaning
from ledger.errors import Misconfigured
from ledger.moves.presence import PRESENCE
from ledger.moves.step import Call
from ledger.statements.presence import (
    DROP_PRESENCE,
    LISTEN_ACTS,
    SEE_PRESENCE,
    TAKE_PRESENCE,
    WATCH_SESSION,
)

R = TypeVar("R")

# The process notices a silent cut after about 3 seconds, the server after about 11: it stops first.
_CLIENT: dict[str, str] = {
    "keepalives_idle": "1",
    "keepalives_interval": "1",
    "keepalives_count": "2",
    "tcp_user_timeout": "3000",
}
# A pooler with one server process left cannot answer two of us at once, and would let us wait for minutes.
_PROOF_S = 10


class PresenceSession:
    """A held presence. Made by `hold_presence`; ends with `close`, or when its connection is lost."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def lost(self, told: Callable[[], None]) -> str:
        """Wait until the session is lost; answers how. `told` is called for each hint."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        descriptor = self._connection.fileno()
        loop.add_reader(descriptor, readable.set)
        try:
            while True:
                await readable.wait()
                readable.clear()
                self._connection.pgconn.consume_input()
                while self._connection.pgconn.notifies() is not None:
                    told()
        except psycopg.OperationalError as error:
            return " ".join(str(error).split())
        finally:
            loop.remove_reader(descriptor)

    async def close(self) -> None:
        """End the session, and the lock with it."""
        await self._connection.close()


async def hold_presence(dsn: str, incarnation: int) -> PresenceSession:
    """Take the lock of an incarnation on a direct connection, prove it, and listen for acts.

    Raises `Misconfigured` where the lock cannot mean anything, behind a transaction pooler or where another
    session holds it, `Unreachable` where no server answers.
    """
    connection = await aconnect(_direct(dsn), application="ledger presence")
    try:
        await _take(connection, dsn, incarnation)
        await _ask(connection, WATCH_SESSION())
        await _ask(connection, LISTEN_ACTS())
    except psycopg.Error as error:
        await connection.close()
        raise meaning(error) from error
    except BaseException:
        await connection.close()
        raise
    return PresenceSession(connection)


async def _take(connection: AsyncConnection, dsn: str, incarnation: int) -> None:
    """Take the lock and prove that it belongs to this connection alone."""
    (taken,) = await _ask(connection, TAKE_PRESENCE(presence=PRESENCE, id=incarnation))
    if not taken.taken:
        raise Misconfigured(f"presence: another session holds the lock of incarnation {incarnation}")
    try:
        async with asyncio.timeout(_PROOF_S):
            proved = await _proved(connection, dsn, incarnation, taken.pid)
    except TimeoutError:
        proved = False
    if not proved:
        raise Misconfigured(
            "presence: the DSN leads through a transaction pooler, where a session's lock is shared or left "
            "behind; give this process a direct connection, or runs of one that dies are closed by their "
            "deadline alone"
        )


async def _proved(connection: AsyncConnection, dsn: str, incarnation: int, pid: int) -> bool:
    """Whether a second connection fails to take the lock, and this one still holds it.

    The look at it falls into the second one's transaction, which takes the very server process that a
    transaction pooler would give to us.
    """
    other = await aconnect(dsn, application="ledger presence test")
    try:
        async with other.transaction():
            (second,) = await _ask(other, TAKE_PRESENCE(presence=PRESENCE, id=incarnation))
            first = await _ask(connection, SEE_PRESENCE(presence=PRESENCE, id=incarnation))
            if second.taken:
                await _ask(other, DROP_PRESENCE(presence=PRESENCE, id=incarnation))
        again = await _ask(connection, SEE_PRESENCE(presence=PRESENCE, id=incarnation))
    finally:
        await other.close()
    alone = not second.taken and {(row.pid, row.own) for row in (*first, *again)} == {(pid, pid)}
    if not alone:
        await _ask(connection, DROP_PRESENCE(presence=PRESENCE, id=incarnation))
    return alone


def _direct(dsn: str) -> str:
    """The DSN with the client's settings for a session that is watched; what it states itself stays."""
    given = conninfo_to_dict(dsn)
    return make_conninfo(dsn, **{k: v for k, v in _CLIENT.items() if k not in given})


async def _ask(connection: AsyncConnection, call: Call[R]) -> list[R]:
    cursor = AsyncCursor(connection)
    await cursor.execute(call.statement.sql, call.params)
    return call.read(await cursor.fetchall() if cursor.description else ())
