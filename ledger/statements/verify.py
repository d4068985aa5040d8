"""What rows are named by, for `ledger verify`."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import load


class NamedRow(NamedTuple):
    """A row's key and fingerprint, and the facts that both are to come from."""

    key: UUID
    tenant: str
    task: str
    delivery: str
    wake: str
    agent: str
    destination: str
    digest: bytes
    due: datetime
    fingerprint: bytes
    key_version: int


class JudgedRow(NamedTuple):
    """A row, and whether the database found it named by its facts; None: by what no facts can be."""

    key: UUID
    tenant: str
    task: str
    named: bool | None


class SplitKey(NamedTuple):
    key: UUID


SPLIT_ROWS = load("split_rows", SplitKey)
READ_NAMED = load("read_named", NamedRow)
JUDGE_NAMED = load("judge_named", JudgedRow)
