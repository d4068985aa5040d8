"""What health reads: rows alone, each with the time it speaks of."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import load


class NewestPass(NamedTuple):
    """The newest pass over all tenants that has closed, if any; and the moment of the look."""

    moment: datetime
    id: int | None
    closed: datetime | None
    by: str | None
    period_s: int | None
    expected: int | None
    healthy: int | None
    repaired: int | None
    failed: int | None
    report: dict[str, object] | None


class UnclosedPass(NamedTuple):
    id: int
    began: datetime
    by: str
    tenant: str | None
    going_on: bool


class Silence(NamedTuple):
    """Tenants with enabled tasks, and those of them without fresh evidence."""

    tenants: int
    silent: int
    oldest: datetime | None
    named: list[str] | None


class VerdictCounts(NamedTuple):
    healthy: int
    repaired: int
    failed: int
    undrilled: int
    failing: int
    oldest: datetime | None


class Cause(NamedTuple):
    """A verdict that is not green, or that names series failing in a row."""

    tenant: str
    at: datetime
    since: datetime
    word: str
    cause: str | None
    detail: str | None
    drill: str
    repairs: dict[str, object]
    watch: dict[str, object]


class DispatcherTick(NamedTuple):
    """A dispatcher that has not stopped; without an incarnation, the newest tick of all."""

    incarnation: int | None
    host: str | None
    slot: str | None
    state: str | None
    why: str | None
    tick: datetime | None


class OverdueRow(NamedTuple):
    tenant: str
    task: str
    key: UUID
    delivery: str
    run_at: datetime


class Unserved(NamedTuple):
    """A kind of delivery that nobody serves, and its rows that are due for long."""

    delivery: str
    rows: int
    oldest: datetime


class AsideRow(NamedTuple):
    tenant: str
    task: str
    key: UUID
    due: datetime
    reason: str | None
    retry_at: datetime | None


class Starved(NamedTuple):
    """A run, and how many slots of its own task were skipped because of it."""

    tenant: str
    task: str
    key: UUID
    started: datetime
    deadline: datetime
    skips: int


class MisnamedRow(NamedTuple):
    """A row that was retired since its key is not that of its facts; `detail` is what it stood beside."""

    tenant: str
    key: UUID
    at: datetime
    detail: str


class TableCare(NamedTuple):
    """A table as the server's statistics have it: rows, those that are dead, and when it was looked after."""

    name: str
    live: int
    dead: int
    changed: int
    vacuumed: datetime | None
    analyzed: datetime | None


class OldestSnapshot(NamedTuple):
    """The oldest open snapshot, of a session or a prepared transaction; and sessions that are not shown."""

    oldest: datetime | None
    pid: int | None
    application: str | None
    hidden: int
    prepared: datetime | None


HEALTH_PASS = load("health_pass", NewestPass)
HEALTH_UNCLOSED = load("health_unclosed", UnclosedPass)
HEALTH_SILENT = load("health_silent", Silence)
HEALTH_VERDICTS = load("health_verdicts", VerdictCounts)
HEALTH_CAUSES = load("health_causes", Cause)
HEALTH_DISPATCHERS = load("health_dispatchers", DispatcherTick)
HEALTH_OVERDUE = load("health_overdue", OverdueRow)
HEALTH_UNSERVED = load("health_unserved", Unserved)
HEALTH_ASIDE = load("health_aside", AsideRow)
HEALTH_SKIPS = load("health_skips", Starved)
HEALTH_MISNAMED = load("health_misnamed", MisnamedRow)
HEALTH_TABLES = load("health_tables", TableCare)
HEALTH_SNAPSHOTS = load("health_snapshots", OldestSnapshot)
