"""Callers' own connections: their moves are a part of the caller's transaction, who commits or rolls back."""

from __future__ import annotations

from typing import TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from ledger.driver.aio import arun_within
from ledger.driver.connect import AsyncConnection, SyncConnection
from ledger.driver.sync import run_within
from ledger.driver.transaction import Scope
from ledger.errors import BadInput
from ledger.moves.step import Move

R = TypeVar("R")


class Within:
    """Runs moves on a psycopg connection of the caller's, inside the transaction it is in."""

    def __init__(self, connection: object) -> None:
        self._connection = _sync(connection)

    def run(self, move: Move[R], scope: Scope) -> R:
        """Run a move in a savepoint. Raises as `ledger.driver.sync.run_within` does."""
        return run_within(self._connection, move, scope)

    def need_transaction(self, what: str) -> None:
        """Raises `BadInput` where a move would be a transaction of its own."""
        _need(what, self._connection.autocommit, self._connection.info.transaction_status)

    def close(self) -> None:
        """Nothing: the connection is the caller's."""


class AsyncWithin:
    """The same for a psycopg `AsyncConnection`."""

    def __init__(self, connection: object) -> None:
        self._connection = _aio(connection)

    async def run(self, move: Move[R], scope: Scope) -> R:
        """Run a move in a savepoint. Raises as `ledger.driver.aio.arun_within` does."""
        return await arun_within(self._connection, move, scope)

    def need_transaction(self, what: str) -> None:
        """As `Within.need_transaction`."""
        _need(what, self._connection.autocommit, self._connection.info.transaction_status)

    async def close(self) -> None:
        """Nothing: the connection is the caller's."""


def _need(what: str, autocommit: bool, status: TransactionStatus) -> None:
    if autocommit and status == TransactionStatus.IDLE:
        raise BadInput(
            f"{what}: no transaction is open on this connection; begin the one of the effect first"
        )


def _sync(connection: object) -> SyncConnection:
    if isinstance(connection, psycopg.Connection):
        return connection
    if isinstance(connection, psycopg.AsyncConnection):
        raise BadInput("this is a psycopg AsyncConnection: use AsyncLedger, or hand in a psycopg.Connection")
    raise _refused(connection, "session.connection().connection.driver_connection", "a psycopg.Connection")


def _aio(connection: object) -> AsyncConnection:
    if isinstance(connection, psycopg.AsyncConnection):
        return connection
    if isinstance(connection, psycopg.Connection):
        raise BadInput("this is a sync psycopg connection: use Ledger, or hand in a psycopg.AsyncConnection")
    raise _refused(
        connection,
        "(await (await session.connection()).get_raw_connection()).driver_connection",
        "a psycopg.AsyncConnection",
    )


def _refused(connection: object, sqlalchemy: str, wanted: str) -> BadInput:
    """Say what to do instead: the transaction must be psycopg's, or the ledger could not take part in it."""
    kind = type(connection)
    package = kind.__module__.partition(".")[0] if connection is not None else "nothing"
    advice = {
        "sqlalchemy": f"hand in {sqlalchemy}, of an engine postgresql+psycopg://",
        "django": "hand in django.db.connection.connection, after connection.ensure_connection()",
        "asyncpg": "the ledger takes part in psycopg's transactions only: open this one with"
        " psycopg.AsyncConnection.connect(dsn), or let the ledger have a transaction of its own, on its pool",
        "psycopg2": "the ledger takes part in psycopg 3's transactions only: pip install 'psycopg[binary]'",
        "nothing": "the framework has not connected yet (Django: connection.ensure_connection())",
    }.get(package, f"hand in {wanted}")
    what = "None" if connection is None else f"a {kind.__module__}.{kind.__qualname__}"
    return BadInput(f"on(connection): this is {what}; {advice}")
