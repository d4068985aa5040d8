"""What a rehearsal of acts looks at, before and after, within the transaction that it rolls back."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import load


class OpenRow(NamedTuple):
    """An open row; `stood` says that it is older than the transaction that reads it."""

    key: UUID
    task: str
    wake: str
    due: datetime
    run_at: datetime
    reason: str | None
    stood: bool


READ_OPEN_ROWS = load("read_open_rows", OpenRow)
