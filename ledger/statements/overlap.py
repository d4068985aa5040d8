"""What the policies of overlap read: the runs that give way, and how long rows had to wait."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import load
from ledger.statements.occurrences import RowKey


class RunOf(NamedTuple):
    """A run, and the place of its task among those asked for, from 1."""

    n: int
    key: UUID


class Wait(NamedTuple):
    """From when until when a row waited; n is the caller's own number of it."""

    n: int
    queued: datetime
    freed: datetime


READ_RUNNING = load("read_running", RunOf)
READ_WAITS = load("read_waits", Wait)
CARRY_WAITS = load("carry_waits", RowKey)
