"""What this release says of its database is what its migrations make, on every version (I2 to I5)."""

from __future__ import annotations

import subprocess
import sys

from sweeper.catalog import differences, expected, read_catalog
from tests.sweeper.book import Book


def test_the_migrations_make_what_the_catalog_says(book: Book) -> None:
    found = book.run(read_catalog(), "sweeper")
    said = (
        "a migration changed: `python -m sweeper.catalog DSN > ledger/migrations/catalog.txt`, read the diff"
    )
    assert differences(found) == [], said


def test_it_names_the_guards_that_promises_rest_on() -> None:
    text = "\n".join(expected())
    for guard in (
        "one_open",
        "one_slot",
        "one_running",
        "occurrence_pkey",
        "pass_adds_up",
        "policy lock_only",
    ):
        assert guard in text


def test_it_is_printed_for_whoever_adds_a_migration(book: Book) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "sweeper.catalog", book.dsn], check=True, capture_output=True, text=True
    )
    assert set(told.stdout.splitlines()) == expected()
    assert told.stdout.splitlines() == sorted(told.stdout.splitlines())
