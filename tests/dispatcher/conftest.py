"""A book of the test's own, and a registry to fill."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dispatcher import Registry
from tests.dispatcher.desk import Book


@pytest.fixture
def book(dsn: str) -> Iterator[Book]:
    made = Book(dsn)
    yield made
    made.close()


@pytest.fixture
def registry() -> Registry:
    return Registry()
