"""Limits of tenants: what a claim reads and counts, and what a person sets."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.statements.load import NoRow, load
from ledger.statements.occurrences import DueRow


class Limit(NamedTuple):
    """The limits of a tenant that has some; where they are not `held`, someone else decides by them now."""

    tenant: str
    held: bool
    suspended: bool
    cap: int | None
    quota: int | None


class Load(NamedTuple):
    """Runs of a tenant that go on, counted up to its cap, and its starts of the month."""

    tenant: str
    running: int
    starts: int


class SetLimit(NamedTuple):
    """The limits of a tenant as a person has set them; `at` and `by`: when, and who."""

    suspended: bool
    cap: int | None
    quota: int | None
    note: str
    at: datetime | None
    by: str | None


class UsedLimit(NamedTuple):
    """Limits, null throughout where there are none, and how much of them is used."""

    suspended: bool | None
    cap: int | None
    quota: int | None
    note: str | None
    at: datetime | None
    by: str | None
    running: int
    starts: int


LOCK_LIMITS = load("lock_limits", Limit)
AWAIT_LIMITS = load("await_limits", Limit)
READ_LOADS = load("read_loads", Load)
COUNT_STARTS = load("count_starts", NoRow)
NOTE_HELD = load("note_held", NoRow)
HOLD_LIMIT = load("hold_limit", SetLimit)
SET_LIMIT = load("set_limit", SetLimit)
READ_LIMIT = load("read_limit", UsedLimit)
CLAIM_FAIR = load("claim_fair", DueRow)
