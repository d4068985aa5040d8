"""Both faces of the API behind one word, so that a test is written once."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TypeVar

import psycopg
import pytest

from ledger import AsyncLedger, AsyncTenantLedger, Ledger, TenantLedger

T = TypeVar("T")
Face = TenantLedger | AsyncTenantLedger
Connection = psycopg.Connection[tuple[object, ...]] | psycopg.AsyncConnection[tuple[object, ...]]


async def done(answer: T | Awaitable[T]) -> T:
    """What a call answers, at once or awaited."""
    return await answer if inspect.isawaitable(answer) else answer


class Flavour:
    """Sync or async: how a ledger is made, and a connection of the caller's."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.ledger = Ledger if name == "sync" else AsyncLedger
        self.other = AsyncLedger if name == "sync" else Ledger

    async def connect(self, dsn: str, **settings: object) -> Connection:
        kind = psycopg.Connection if self.name == "sync" else psycopg.AsyncConnection
        return await done(kind.connect(dsn, **settings))


@pytest.fixture(params=["sync", "async"])
def flavour(request: pytest.FixtureRequest) -> Flavour:
    return Flavour(request.param)


@pytest.fixture
async def ledger(flavour: Flavour, dsn: str) -> AsyncIterator[Ledger | AsyncLedger]:
    opened = flavour.ledger(dsn)
    yield opened
    await done(opened.close())


@pytest.fixture
def acme(ledger: Ledger | AsyncLedger) -> Face:
    """The door of the tenant acme, for anna."""
    return ledger.tenant("acme", by="anna")


@pytest.fixture
def eye(dsn: str) -> Iterator[Callable[..., list[tuple[object, ...]]]]:
    """What a statement of the test's own answers, as the database's owner."""
    with psycopg.connect(dsn, autocommit=True) as connection:

        def ask(statement: str, *params: object) -> list[tuple[object, ...]]:
            cursor = connection.execute(statement.encode(), params)
            return cursor.fetchall() if cursor.description else []

        yield ask
