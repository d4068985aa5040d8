"""What the sweep reads and writes: the survey, how a tenant stands, its drill, verdicts and passes."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias
from uuid import UUID

from ledger.statements.load import load
from ledger.statements.occurrences import RowKey
from ledger.statements.presence import Place

Kind: TypeAlias = Literal["open", "ended", "missing", "dead digest", "stray"]


class SurveySettings(NamedTuple):
    work_mem: str
    read_only: str


class Surveyed(NamedTuple):
    """What the survey says of one tenant: tasks that are on, and what is open."""

    tenant: str
    expected: int
    open: int
    without: int
    stray: int
    others: int
    running: int


class OpenRow(NamedTuple):
    """An open row, or the lack of one, as its task makes it; without a key no row is open."""

    task: str
    lane: str
    kind: Kind
    key: UUID | None
    key_version: int | None
    fingerprint: bytes | None
    delivery: str | None
    wake: str | None
    agent: str | None
    destination: str | None
    digest: bytes | None
    due: datetime | None


class HeldRow(NamedTuple):
    task: str
    kind: Literal["set aside", "waiting"]
    key: UUID


class FailedSeries(NamedTuple):
    """The row at the frontier of a series that failed last."""

    task: str
    in_force: bytes
    key: UUID
    due: datetime
    closed: datetime
    state: Literal["failed", "timed_out", "lost"]
    reason: str | None
    wake: str
    handed: datetime | None
    history: list[dict[str, object]] | None
    failures: int
    acted_since: bool


class ChainRow(NamedTuple):
    """One attempt of a slot after the first."""

    n: int
    key: UUID
    wake: str
    state: str
    reason: str | None
    closed: datetime | None
    handed: datetime | None
    history: list[dict[str, object]] | None
    failures: int


class TextRow(NamedTuple):
    """A zone that texts of open rows name; or, with a task, an open row whose text has an end."""

    task: str | None
    key: UUID | None
    text: str
    due: datetime | None
    after: datetime | None
    base: datetime | None
    trail: dict[str, object] | None


class NamedTask(NamedTuple):
    """A name under which there is something to look at; not enabled where only rows stand under it."""

    task: str
    enabled: bool


class FreeTask(NamedTuple):
    task: str
    free: bool


class Hole(NamedTuple):
    """What was known of a row that was repaired, and of its task; None where there is no such thing.

    `before`: the newest row of the series that ran or was passed over; `before_by`: who started it, or, where
    it never started, who closed it, at `before_at`.
    """

    task: str
    key: UUID
    in_force: bytes | None
    act: int | None
    what: str | None
    act_by: str | None
    act_at: datetime | None
    before: UUID | None
    before_state: str | None
    before_by: str | None
    before_at: datetime | None
    made_by: str | None
    created: datetime | None
    tzdata: str | None
    deadline: datetime | None
    closed_by: str | None


class Numbered(NamedTuple):
    id: int


class Drillable(NamedTuple):
    key: UUID
    task: str
    run_at: datetime
    moment: datetime


class Canary(NamedTuple):
    task: str
    moment: datetime


class Drilled(NamedTuple):
    key: UUID
    run_at: datetime
    moment: datetime


class LastDrill(NamedTuple):
    drill_task: str | None
    untried: int


class Reached(NamedTuple):
    tenant: str
    at: datetime


class Judged(NamedTuple):
    at: datetime
    since: datetime


class OpenedPass(NamedTuple):
    id: int
    began: datetime


class ClosedPass(NamedTuple):
    began: datetime
    closed: datetime


class Settings(NamedTuple):
    """What is in force; `zones_from` while rows are moved from another release's zone rules."""

    schema_version: int
    key_version: int
    digest_version: int
    dialect: int
    tzdata: str
    moment: datetime
    zones_from: str | None
    utc_only: bool


class CatalogLine(NamedTuple):
    line: str


READ_SETTINGS = load("read_settings", Settings)
READ_CATALOG = load("read_catalog", CatalogLine)
SET_SURVEY = load("set_survey", SurveySettings)
SURVEY = load("survey", Surveyed)
SURVEY_TENANT = load("survey_tenant", Surveyed)
LOOK_OPEN = load("look_open", OpenRow)
LOOK_RUNS = load("look_runs", Place)
LOOK_HELD = load("look_held", HeldRow)
LOOK_FAILED = load("look_failed", FailedSeries)
LOOK_TEXTS = load("look_texts", TextRow)
LIST_NAMES = load("list_names", NamedTask)
LOCK_FREE = load("lock_free", FreeTask)
READ_HOLES = load("read_holes", Hole)
READ_CHAIN = load("read_chain", ChainRow)
LOCK_STRAYS = load("lock_strays", RowKey)
FREE_WAITER = load("free_waiter", RowKey)
PICK_DRILL = load("pick_drill", Drillable)
DROP_OPEN = load("drop_open", RowKey)
PLANT_CANARY = load("plant_canary", Canary)
READ_DRILLED = load("read_drilled", Drilled)
READ_REACHED = load("read_reached", Reached)
READ_VERDICT = load("read_verdict", LastDrill)
WRITE_VERDICT = load("write_verdict", Judged)
OPEN_PASS = load("open_pass", OpenedPass)
HOLD_PASS = load("hold_pass", OpenedPass)
CLOSE_PASS = load("close_pass", ClosedPass)
DROP_VERDICTS = load("drop_verdicts", Numbered)
DROP_PASSES = load("drop_passes", Numbered)
