"""The statements of the ledger: one constant for each file of `ledger/sql`.

A file holds one static statement and a header: what it does, the promises it upholds, its parameters, the
index it uses, and what zero rows mean. Nothing else in the project writes SQL, but the migrations.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TypeVar

from ledger import rows
from ledger.moves.step import RowType, Statement

R = TypeVar("R")


def _load(name: str, row: RowType[R]) -> Statement[R]:
    return Statement(name, (files("ledger") / "sql" / f"{name}.sql").read_bytes(), row)
