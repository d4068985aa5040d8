"""Reads a file of `ledger/sql` into a statement.

A file holds one static statement and a header: what it does, the promises it upholds, its parameters, the
index it uses, and what zero rows mean. Nothing else in the project writes SQL, but the migrations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.resources import files
from operator import attrgetter
from typing import NamedTuple, TypeVar

from ledger.moves.step import Statement

R = TypeVar("R")


class NoRow(NamedTuple):
    """The row of a statement that answers none."""


def load(name: str, row: type[R]) -> Statement[R]:
    """The statement of `ledger/sql/<name>.sql`; `row` is a NamedTuple of its columns, in order."""
    make: Callable[[Iterable[object]], R] = attrgetter("_make")(row)
    fields: tuple[str, ...] = attrgetter("_fields")(row)
    return Statement(name, (files("ledger") / "sql" / f"{name}.sql").read_bytes(), fields, make)
