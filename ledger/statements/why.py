"""What is read to say what became of a minute of a task."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import load


class ReignRow(NamedTuple):
    """An act, from which on a task stood so; `moment` is that of the look, by the database's clock."""

    n: int
    at: datetime
    by: str
    what: str
    digest: bytes
    enabled: bool
    resume_after: datetime | None
    note: str
    moment: datetime


class MinuteRow(NamedTuple):
    """A row that stands for a slot, or for slots that it passed over. `due` of an ended series is the last
    instant that there is.
    """

    key: UUID
    wake: str
    lane: str
    state: str
    reason: str | None
    due: datetime
    run_at: datetime
    digest: bytes
    blocked_by: UUID | None
    retry_at: datetime | None
    after: datetime | None
    passed: list[dict[str, object]] | None
    source: str | None
    tzdata: str | None
    started: datetime | None
    closed: datetime | None
    closed_by: str | None
    deadline: datetime | None
    held_ms: int | None
    error: str | None
    crumb: str | None


class Hold(NamedTuple):
    """A tenant's limits, and how many of its runs go on, counted up to its cap."""

    suspended: bool
    cap: int | None
    running: int


READ_REIGNS = load("read_reigns", ReignRow)
READ_MINUTE = load("read_minute", MinuteRow)
READ_HOLD = load("read_hold", Hold)
READ_ARCHIVED_MINUTE = load("read_archived_minute", MinuteRow)
READ_ARCHIVED_NEXT = load("read_archived_next", MinuteRow)
