"""What people ask of the ledger without changing it. Rows are answered as they are read."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import load


class NextRow(NamedTuple):
    state: str
    due: datetime
    key: UUID


class TaskRow(NamedTuple):
    task: str
    enabled: bool
    digest: bytes
    canonical: str
    next_key: UUID | None
    next: datetime | None
    ended: bool
    running: UUID | None


class SwitchRow(NamedTuple):
    task: str
    enabled: bool
    digest: bytes
    canonical: str


class ActRow(NamedTuple):
    """One act: who asked for what of a task, when, and from where its series went on (I10)."""

    n: int
    at: datetime
    by: str
    what: str
    digest: bytes
    enabled: bool
    resume_after: datetime | None
    note: str


class Occurrence(NamedTuple):
    """A row of the ledger as lists show it. `result` is JSON text; instants are aware and in UTC."""

    key: UUID
    task: str
    wake: str
    lane: str
    state: str
    reason: str | None
    due: datetime
    run_at: datetime
    blocked_by: UUID | None
    retry_at: datetime | None
    started: datetime | None
    deadline: datetime | None
    closed: datetime | None
    closed_by: str | None
    failures: int
    result: str | None
    error: str | None
    crumb: str | None
    digest: bytes


class PullRow(NamedTuple):
    key: UUID
    task: str
    wake: str
    due: datetime
    run_at: datetime
    canonical: str


class WholeRow(NamedTuple):
    """All that a row says, the text that it was projected from, and how its task stands now."""

    key: UUID
    tenant: str
    delivery: str
    wake: str
    agent: str
    destination: str
    task: str
    digest: bytes
    due: datetime
    fingerprint: bytes
    key_version: int
    lane: str
    state: str
    reason: str | None
    run_at: datetime
    blocked_by: UUID | None
    retry_at: datetime | None
    after: datetime | None
    base: datetime | None
    predecessor: UUID | None
    source: str | None
    trail: dict[str, object] | None
    passed: list[dict[str, object]] | None
    failures: int
    made_by: str
    closed_by: str | None
    incarnation: int | None
    created: datetime
    started: datetime | None
    handed: datetime | None
    deadline: datetime | None
    closed: datetime | None
    outcome: str | None
    crumb: str | None
    result: str | None
    error: str | None
    held_ms: int | None
    history: list[dict[str, object]] | None
    canonical: str | None
    enabled: bool | None
    digest_in_force: bytes | None


class Relative(NamedTuple):
    """A row beside another: of the same slot, before it, or derived from it."""

    key: UUID
    wake: str
    lane: str
    state: str
    reason: str | None
    due: datetime
    run_at: datetime
    started: datetime | None
    closed: datetime | None
    predecessor: UUID | None


class EvidenceRow(NamedTuple):
    """What came too late to count (I7)."""

    at: datetime
    by: str
    what: str
    detail: str


READ_NEXT = load("read_next", NextRow)
LIST_TASKS = load("list_tasks", TaskRow)
LIST_AGENT_TASKS = load("list_agent_tasks", TaskRow)
READ_TASK = load("read_task", TaskRow)
READ_SWITCHES = load("read_switches", SwitchRow)
READ_ACTS = load("read_acts", ActRow)
READ_OPEN = load("read_open", Occurrence)
READ_TASK_OPEN = load("read_task_open", Occurrence)
READ_HISTORY = load("read_history", Occurrence)
READ_TASK_HISTORY = load("read_task_history", Occurrence)
READ_DUE = load("read_due", PullRow)
READ_OCCURRENCE = load("read_occurrence", WholeRow)
READ_RELATIVES = load("read_relatives", Relative)
READ_EVIDENCE = load("read_evidence", EvidenceRow)
