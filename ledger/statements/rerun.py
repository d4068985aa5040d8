"""Rows that are run once more: which they are, whose turn it is, and what became of them."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import NoRow, load


class MadeRerun(NamedTuple):
    request: str


class RerunRow(NamedTuple):
    at_once: int
    wanted: dict[str, object]
    cancelled: datetime | None


class Attempt(NamedTuple):
    """An attempt at a slot beyond its first run, the `i`th; `n` is the caller's own number of the slot."""

    n: int
    i: int
    key: UUID
    state: str


class Member(NamedTuple):
    """A row of a rerun, as it stands; no key: it was retired, or has left the hot rows."""

    task: str
    due: datetime
    lane: str
    key: UUID | None
    state: str | None
    started: datetime | None


class Membership(NamedTuple):
    """Which rerun a row belongs to; `n` is the caller's own number of the row."""

    n: int
    request: str


class HeldRerun(NamedTuple):
    tenant: str
    request: str
    at_once: int


class Repeated(NamedTuple):
    key: UUID
    task: str
    state: str
    wake: str
    due: datetime


ADD_RERUN = load("add_rerun", MadeRerun)
READ_RERUN = load("read_rerun", RerunRow)
ADD_RERUN_ROWS = load("add_rerun_rows", NoRow)
FOLLOW_ATTEMPTS = load("follow_attempts", Attempt)
READ_MEMBERS = load("read_members", Member)
FIND_RERUNS = load("find_reruns", Membership)
HOLD_RERUNS = load("hold_reruns", HeldRerun)
PUT_OFF = load("put_off", NoRow)
READ_REPEATED = load("read_repeated", Repeated)
CANCEL_RERUN = load("cancel_rerun", NoRow)
READ_RERUN_OPEN = load("read_rerun_open", Repeated)
