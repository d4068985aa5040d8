"""What opens, starts and closes occurrences."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import NoRow, load


class RowKey(NamedTuple):
    key: UUID
    tenant: str


class Counted(NamedTuple):
    """A row of which only is asked that it is there: to read five hundred keys takes a millisecond."""

    one: int


class FoundRow(NamedTuple):
    key: UUID
    tenant: str
    task: str
    fingerprint: bytes
    state: str
    due: datetime


class DueRow(NamedTuple):
    """A row that a claim holds, and whether its task still stands behind it (I11).

    `won` is the kind of hint that put the row where it is, if one did.
    """

    key: UUID
    tenant: str
    task: str
    digest: bytes
    state: str
    blocked_by: UUID | None
    reason: str | None
    lane: str
    wake: str
    due: datetime
    run_at: datetime
    predecessor: UUID | None
    exclusive: bool
    failures: int
    won: str | None
    moment: datetime
    enabled: bool | None
    digest_in_force: bytes | None


class Context(NamedTuple):
    """What a decision needs, read after the locks: the run in the way, and how the row before ended."""

    n: int
    blocker: UUID | None
    before_state: str | None
    before_failures: int | None
    before_due: datetime | None


class Attempt(NamedTuple):
    n: int
    failures: int


class LastStart(NamedTuple):
    n: int
    started: datetime


class RunRow(NamedTuple):
    """A row that is to be closed, locked."""

    key: UUID
    tenant: str
    task: str
    state: str
    reason: str | None
    wake: str
    lane: str
    due: datetime
    digest: bytes
    failures: int
    incarnation: int | None
    deadline: datetime | None
    handed: datetime | None
    history: list[dict[str, object]] | None
    moment: datetime


class Place(NamedTuple):
    """Which of the rows asked for, from 1; below zero where it is the first success after failures."""

    n: int


class FreedRow(NamedTuple):
    key: UUID
    tenant: str
    run_at: datetime
    moment: datetime


class RequestRow(NamedTuple):
    key: UUID
    state: str
    due: datetime


ADOPT = load("adopt", RowKey)
READ_ROWS = load("read_rows", FoundRow)
RETIRE_ROWS = load("retire_rows", RowKey)
CLAIM_DUE = load("claim_due", DueRow)
LOCK_DUE = load("lock_due", DueRow)
READ_CONTEXT = load("read_context", Context)
READ_ATTEMPTS = load("read_attempts", Attempt)
READ_LAST_STARTS = load("read_last_starts", LastStart)
START_ROWS = load("start_rows", Counted)
SKIP_ROWS = load("skip_rows", RowKey)
CANCEL_ROWS = load("cancel_rows", RowKey)
WAIT_ROWS = load("wait_rows", RowKey)
SET_ASIDE = load("set_aside", RowKey)
LOCK_RUNS = load("lock_runs", RunRow)
CLOSE_RUNS = load("close_runs", NoRow)
CLOSE_SUCCESSES = load("close_successes", Place)
FREE_WAITERS = load("free_waiters", FreedRow)
ADD_EVIDENCE = load("add_evidence", NoRow)
FIND_REQUEST = load("find_request", RequestRow)
