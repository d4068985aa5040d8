"""The drill on rows that are off their rule: the repair derives those as well."""

from __future__ import annotations

from datetime import timedelta

import pytest

from projector.moves.hint import Wish, hint
from sweeper.moves.drill import drill
from tests.sweeper.book import HOURLY, TENANT, Book, all_well

INTERVAL = Wish(timedelta(minutes=10), None, timedelta(hours=4))


@pytest.mark.parametrize(
    ("members", "source"),
    [
        ({}, "ai-interval"),
        ({"min_interval_s": 86_400}, "clamped-min"),
        ({"max_interval_s": 300}, "clamped-max"),
        ({"paused_until": "2190-01-01T00:00:00Z"}, "paused"),
    ],
)
def test_it_drills_with_a_row_that_a_hint_a_bound_or_a_pause_put_there(
    book: Book, members: dict[str, object], source: str
) -> None:
    """I13"""
    book.define("a", HOURLY, **members)
    book.run(hint(TENANT, "a", INTERVAL, "a planner"), "tenant", TENANT)
    assert book.one("SELECT source FROM ledger.occurrence WHERE state = 'pending'") == source
    before = book.trace()
    found = book.run(drill(TENANT, ""), "sweeper", TENANT)
    assert (found.word, found.task) == ("passed", "a"), found.detail
    assert book.trace() == before


def test_a_pass_repairs_a_hinted_row_that_has_gone(book: Book) -> None:
    """I4"""
    book.define("a", HOURLY)
    book.run(hint(TENANT, "a", INTERVAL, "a planner"), "tenant", TENANT)
    (key,) = book.open_keys("a")
    book.sql("DELETE FROM ledger.occurrence WHERE key = %s", key)
    report = book.sweep()
    assert report.verdicts[0].word == "repaired"
    assert book.open_keys("a") == [key]
    all_well(book.sweep())
