"""What a person's act reads and writes: the task's row, its definition, its acts, the reference."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias
from uuid import UUID

from ledger.statements.load import NoRow, load


class TaskName(NamedTuple):
    task: str


class LockedTask(NamedTuple):
    tenant: str
    task: str
    digest: bytes
    agent: str
    enabled: bool
    duplicate_hash: bytes | None


# Why a tenant may start nothing: a person has suspended it, or its quota of the month is used up.
Shut: TypeAlias = Literal["suspended", "quota", "agent_gone"]


class Reference(NamedTuple):
    """From what a successor is derived: the newest act and the row at the frontier.

    `base` is that row's start, or its closing; without a row, the time of the act that switched the series
    on.
    `backed_off` is how many failures that row was skipped for, where it was, and `last_start` when the
    series last started before it; `misfired`: it was skipped for its lateness; `shut`: why its tenant might
    start nothing, where it was skipped for that.
    """

    task: str
    moment: datetime
    n: int | None
    resume_after: datetime | None
    frontier_key: UUID | None
    frontier: datetime | None
    base: datetime | None
    backed_off: int | None
    last_start: datetime | None
    misfired: bool
    shut: Shut | None


class PendingRow(NamedTuple):
    task: str
    key: UUID
    digest: bytes
    wake: str
    lane: str
    due: datetime
    run_at: datetime
    predecessor: UUID | None
    predecessor_closed: datetime | None
    failures: int
    history: list[dict[str, object]] | None
    queued: datetime | None
    freed: datetime | None


class Twin(NamedTuple):
    wanted: str
    existing: str


class DefinitionText(NamedTuple):
    tenant: str
    digest: bytes
    canonical: str


ADD_TASKS = load("add_tasks", TaskName)
LOCK_TASKS = load("lock_tasks", LockedTask)
SET_TASKS = load("set_tasks", TaskName)
DELETE_TASKS = load("delete_tasks", TaskName)
STORE_DEFINITIONS = load("store_definitions", NoRow)
READ_DEFINITIONS = load("read_definitions", DefinitionText)
ADD_ACTS = load("add_acts", NoRow)
READ_REFERENCES = load("read_references", Reference)
READ_PENDING = load("read_pending", PendingRow)
FIND_TWINS = load("find_twins", Twin)
TELL_ACT = load("tell_act", NoRow)
