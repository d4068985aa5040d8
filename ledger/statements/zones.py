"""What a move of the zone rules reads and writes: rows of another release, and what is in force."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

from ledger.statements.load import NoRow, load
from ledger.statements.occurrences import RowKey


class ZonedRow(NamedTuple):
    """An open series row, or the row that says it has ended, with all that replays its instant."""

    task: str
    digest: bytes
    canonical: str
    key: UUID
    state: Literal["pending", "ended"]
    wake: str
    due: datetime
    after: datetime | None
    base: datetime | None
    trail: dict[str, object] | None
    moment: datetime


class ZonedTenant(NamedTuple):
    tenant: str
    rows: int


class MovedFrom(NamedTuple):
    zones_from: str


class UtcOnly(NamedTuple):
    utc_only: bool


class NamedText(NamedTuple):
    task: str
    canonical: str


class ZonedTask(NamedTuple):
    """A task whose schedule names a zone; `found` is how many there are in all."""

    tenant: str
    task: str
    zone: str
    found: int


LOOK_ZONES = load("look_zones", ZonedRow)
LIST_ZONES = load("list_zones", ZonedTenant)
LOOK_NAMED = load("look_named", NamedText)
KEEP_ZONES = load("keep_zones", RowKey)
LOCK_SETTINGS = load("lock_settings", NoRow)
SET_ZONES = load("set_zones", MovedFrom)
END_ZONES = load("end_zones", MovedFrom)
SET_UTC_ONLY = load("set_utc_only", UtcOnly)
FIND_ZONED = load("find_zoned", ZonedTask)
