"""The newest verdict on each tenant, as the sweep left it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.statements.load import load


class VerdictRow(NamedTuple):
    """`repairs` counts by kind; `drill_task` is None where a canary was drilled with."""

    tenant: str
    number: int
    at: datetime
    word: str
    checked: int
    open: int
    ended: int
    repairs: dict[str, int]
    drill: str
    drill_ms: float | None
    drill_task: str | None


LIST_VERDICTS = load("list_verdicts", VerdictRow)
