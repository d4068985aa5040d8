"""A book of the test's own, and a registry to fill."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from dispatcher import Registry
from tests.dispatcher.desk import Book
from tests.dispatcher.receiver import Receiver, receiving


@pytest.fixture
def book(dsn: str) -> Iterator[Book]:
    made = Book(dsn)
    yield made
    made.close()


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest_asyncio.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as ready:
        yield ready
