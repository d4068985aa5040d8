"""What is done again: ranges of slots that were asked for, and rows that are run once more."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.statements.load import NoRow, load


class BackfillRow(NamedTuple):
    """A backfill, and how its lane stands; `disposed`: the slot that was opened last has had its turn."""

    since: datetime
    until: datetime
    slots: list[datetime]
    opened: int
    ran: int
    coming: int
    at_once: int
    cancelled: datetime | None
    open_key: UUID | None
    running: int
    disposed: bool


class RuleRow(NamedTuple):
    moment: datetime
    digest: bytes | None
    canonical: str | None


class TakenSlot(NamedTuple):
    due: datetime


class Turn(NamedTuple):
    """How a backfill goes on: its next slot, and the runs of it that run now, of which `run` is one.

    `n` is the caller's own number of the row.
    """

    n: int
    at_once: int
    next: datetime | None
    running: int
    run: UUID | None


class LaneRow(NamedTuple):
    """A row of a backfill or a rerun that is open or runs."""

    key: UUID
    task: str
    wake: str
    state: str


READ_RULE = load("read_rule", RuleRow)
READ_BACKFILL = load("read_backfill", BackfillRow)
ADD_BACKFILL = load("add_backfill", NoRow)
READ_TAKEN_SLOTS = load("read_taken_slots", TakenSlot)
ADVANCE_BACKFILLS = load("advance_backfills", NoRow)
READ_TURNS = load("read_turns", Turn)
READ_BACKFILL_ROWS = load("read_backfill_rows", LaneRow)
CANCEL_BACKFILL = load("cancel_backfill", NoRow)
