"""What planners say of a task beside its rule: hints, given, read, consumed and taken back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, NamedTuple
from uuid import UUID

from ledger.statements.load import load


class TaskHint(NamedTuple):
    """A hint as the Governor reads it: `at` for a one-shot, `every` for an interval."""

    tenant: str
    task: str
    kind: Literal["interval", "oneshot"]
    given: datetime
    expires: datetime
    at: datetime | None
    every: timedelta | None


class GivenHint(NamedTuple):
    """When a hint counts from (its first giving, where it was renewed), and until when."""

    given: datetime
    expires: datetime


class DroppedHint(NamedTuple):
    """A hint that was taken back. `stood`: it was neither consumed nor expired."""

    task: str
    kind: str
    stood: bool


class ConsumedHint(NamedTuple):
    task: str


class HintRow(NamedTuple):
    """A hint in force as people see it."""

    kind: str
    at: datetime | None
    every: timedelta | None
    given: datetime
    expires: datetime
    by: str
    note: str


class OpenSeries(NamedTuple):
    """The open row of a series, and from what it was derived."""

    key: UUID
    digest: bytes
    source: str | None
    trail: dict[str, object] | None
    passed: list[dict[str, object]] | None


READ_HINTS = load("read_hints", TaskHint)
GIVE_HINT = load("give_hint", GivenHint)
DROP_HINTS = load("drop_hints", DroppedHint)
CONSUME_HINTS = load("consume_hints", ConsumedHint)
LIST_HINTS = load("list_hints", HintRow)
READ_OPEN_SERIES = load("read_open_series", OpenSeries)
