"""Reads a file of `ledger/sql` into a statement.

A file holds one static statement and a header: what it does, the promises it upholds, its parameters, the
index it uses, and what zero rows mean. Nothing else in the project writes SQL, but the migrations.
"""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple, TypeVar

from ledger.moves.step import RowType, Statement

R = TypeVar("R")


class NoRow(NamedTuple):
    """The row of a statement that answers none."""


def load(name: str, row: RowType[R]) -> Statement[R]:
    """The statement of `ledger/sql/<name>.sql`."""
    return Statement(name, (files("ledger") / "sql" / f"{name}.sql").read_bytes(), row)
