"""Pools of connections, and callers' own connections: whoever runs moves for the API.

Each is opened by the first move, not when it is made. A connection that broke is thrown away and replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from threading import Lock
from typing import Protocol, TypeAlias, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import AsyncConnectionPool, ConnectionPool, PoolClosed, PoolTimeout

from ledger.driver.aio import arun
from ledger.driver.connect import AsyncConnection, SyncConnection, aconnect, asuit, connect, conninfo, suit
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import BadInput, Busy, LedgerError, Misconfigured
from ledger.facts import shown
from ledger.moves.step import Move

R = TypeVar("R")

SyncPool: TypeAlias = ConnectionPool[SyncConnection]
AioPool: TypeAlias = AsyncConnectionPool[AsyncConnection]

# Connections of a pool at most, and how long a move waits for a free one.
CONNECTIONS = 10
WAIT_S = 5.0


class Runs(Protocol):
    """Runs a move as one transaction, or as a part of the caller's."""

    def run(self, move: Move[R], scope: Scope) -> R: ...


class AsyncRuns(Protocol):
    """The same for asyncio."""

    async def run(self, move: Move[R], scope: Scope) -> R: ...


class Pool:
    """A pool by a DSN, or around a `psycopg_pool.ConnectionPool`, which stays the caller's."""

    def __init__(self, target: object) -> None:
        if isinstance(target, AsyncConnectionPool):
            raise BadInput("this pool is for asyncio: use AsyncLedger, or a psycopg_pool.ConnectionPool")
        self._own = not isinstance(target, ConnectionPool)
        self._opening = Lock()
        self._dsn = conninfo(read_dsn(target), "ledger") if self._own else ""
        self._pool: SyncPool = (
            target
            if isinstance(target, ConnectionPool)
            else ConnectionPool(
                self._dsn,
                kwargs={"autocommit": True},
                min_size=0,
                max_size=CONNECTIONS,
                timeout=WAIT_S,
                configure=suit,
                check=ConnectionPool.check_connection,
                open=False,
            )
        )

    def run(self, move: Move[R], scope: Scope) -> R:
        """Run a move as a transaction of its own. Raises as `ledger.driver.sync.run` does, and `Busy`."""
        with self._connection() as connection:
            return run(connection, move, scope)

    def close(self) -> None:
        """Close the pool, where it is the ledger's own."""
        if self._own:
            self._pool.close()

    @contextmanager
    def _connection(self) -> Iterator[SyncConnection]:
        if self._own and self._pool.closed:
            with self._opening:
                self._open()
        try:
            connection = self._pool.getconn()
        except PoolTimeout as error:
            if self._own:
                # Says what is wrong, where it is the database; else the pool was too small for the load.
                connect(self._dsn).close()
            raise _all_taken() from error
        except PoolClosed as error:
            raise _pool_is_closed() from error
        autocommit = connection.autocommit
        try:
            connection.autocommit = True
            yield connection
        finally:
            if _is_idle(connection):
                connection.autocommit = autocommit
            else:
                connection.close()
            self._pool.putconn(connection)

    def _open(self) -> None:
        if not self._pool.closed:
            return
        # The pool tries in the background for seconds; this says at once that no server answers.
        connect(self._dsn).close()
        try:
            self._pool.open()
        except psycopg.OperationalError as error:
            raise _pool_is_closed() from error


class AsyncPool:
    """The same for asyncio, around a `psycopg_pool.AsyncConnectionPool` of the caller's."""

    def __init__(self, target: object) -> None:
        if isinstance(target, ConnectionPool):
            raise BadInput("this pool is not for asyncio: use Ledger, or a psycopg_pool.AsyncConnectionPool")
        self._own = not isinstance(target, AsyncConnectionPool)
        self._opening = asyncio.Lock()
        self._dsn = conninfo(read_dsn(target), "ledger") if self._own else ""
        self._pool: AioPool = (
            target
            if isinstance(target, AsyncConnectionPool)
            else AsyncConnectionPool(
                self._dsn,
                kwargs={"autocommit": True},
                min_size=0,
                max_size=CONNECTIONS,
                timeout=WAIT_S,
                configure=asuit,
                check=AsyncConnectionPool.check_connection,
                open=False,
            )
        )

    async def run(self, move: Move[R], scope: Scope) -> R:
        """Run a move as a transaction of its own. Raises as `ledger.driver.aio.arun` does, and `Busy`."""
        async with self._connection() as connection:
            return await arun(connection, move, scope)

    async def close(self) -> None:
        """Close the pool, where it is the ledger's own."""
        if self._own:
            await self._pool.close()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncConnection]:
        if self._own and self._pool.closed:
            async with self._opening:
                await self._open()
        try:
            connection = await self._pool.getconn()
        except PoolTimeout as error:
            if self._own:
                await (await aconnect(self._dsn)).close()
            raise _all_taken() from error
        except PoolClosed as error:
            raise _pool_is_closed() from error
        autocommit = connection.autocommit
        try:
            await connection.set_autocommit(True)
            yield connection
        finally:
            if _is_idle(connection):
                await connection.set_autocommit(autocommit)
            else:
                await connection.close()
            await self._pool.putconn(connection)

    async def _open(self) -> None:
        if not self._pool.closed:
            return
        await (await aconnect(self._dsn)).close()
        try:
            await self._pool.open()
        except psycopg.OperationalError as error:
            raise _pool_is_closed() from error


def read_dsn(target: object) -> str:
    """A DSN as psycopg takes it. Raises `BadInput` for what is none."""
    if isinstance(target, str) and target.strip():
        scheme, colon, _ = target.partition("://")
        if colon and scheme not in ("postgresql", "postgres"):
            raise BadInput(f"the DSN begins with {scheme!r}; write postgresql://USER@HOST:PORT/DATABASE")
        return target
    raise BadInput(
        f"no DSN: {shown(target)}; give postgresql://USER@HOST:PORT/DATABASE (or set LEDGER_DSN), or a pool"
    )


def _is_idle(connection: SyncConnection | AsyncConnection) -> bool:
    return connection.info.transaction_status == TransactionStatus.IDLE


def _all_taken() -> LedgerError:
    return Busy("all connections of the pool were taken all the time; nothing was changed, try again")


def _pool_is_closed() -> LedgerError:
    return Misconfigured("the pool of connections is closed; open it first, or make a new one")
