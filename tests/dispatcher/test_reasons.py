"""The reason of a row that is set aside is kept, whatever it is made of (I12)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dispatcher.line import SCOPE
from dispatcher.moves import set_aside
from ledger.driver.connect import connect
from ledger.driver.sync import run
from ledger.statements.presence import Place
from tests.dispatcher.desk import TENANT, Book


@pytest.mark.parametrize(
    ("why", "kept"),
    [
        ("plain", "plain"),
        ("a\x00b", "a\\u0000b"),
        ("\ud800", "\\ud800"),
        ("é" * 3_000, "é" * 2_000),
    ],
    ids=["plain", "a NUL", "half a character", "long"],
)
def test_a_reason_is_kept_whatever_it_is_made_of(why: str, kept: str, book: Book) -> None:
    key = book.due("a")
    with connect(book.dsn) as connection:
        run(connection, set_aside(Place(TENANT, "a", key), why), SCOPE)
    reason, blocked_by, wait = book.row(key, "reason, blocked_by, retry_at - now()")
    assert (reason, blocked_by) == (kept, key)
    assert isinstance(wait, timedelta)
    assert timedelta(seconds=50) < wait <= timedelta(seconds=60)
