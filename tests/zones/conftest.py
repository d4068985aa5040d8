"""A book of the test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sweeper.book import Book


@pytest.fixture
def book(dsn: str) -> Iterator[Book]:
    made = Book(dsn)
    yield made
    made.close()
