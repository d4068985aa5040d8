"""Limits of a tenant: a person's word on how much of it may start, and how much of that is used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from ledger.errors import BadInput
from ledger.facts import shown
from ledger.moves.step import Move, ask
from ledger.statements.admission import HOLD_LIMIT, READ_LIMIT, SET_LIMIT

# What is not said of a limit stays; None takes it away.
Keep: TypeAlias = Literal["keep"]
_MOST = 2**31 - 1
_NOTE_MOST = 1000


@dataclass(frozen=True, slots=True)
class Limits:
    """What holds a tenant back, and how much of it is used now.

    `cap`: runs at once; `quota`: starts in a month of UTC, retries apart; each None where there is no such
    limit. `running`: runs that go on; `starts`: those counted this month, which is only done while there is a
    quota. `note`, `by` and `at` are of the newest change.
    """

    tenant: str
    suspended: bool
    cap: int | None
    quota: int | None
    note: str
    by: str | None
    at: datetime | None
    running: int
    starts: int


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of a tenant's limits; what is not said of them stays."""

    suspended: bool | None = None
    cap: int | Keep | None = "keep"
    quota: int | Keep | None = "keep"
    note: str | None = None


def read_change(cap: object, quota: object, note: object) -> Change:
    """Other limits for a tenant. Raises `BadInput` for what is no number of runs."""
    return Change(None, _number(cap, "cap", 1), _number(quota, "quota", 0), read_limit_note(note))


def read_limit_note(note: object) -> str | None:
    """The note of a change: printable text, None where the one before stays. Raises `BadInput`."""
    if note is None or (isinstance(note, str) and len(note) <= _NOTE_MOST and note.isprintable()):
        return note
    raise BadInput(f"note: write printable text of at most {_NOTE_MOST} characters; the limits keep it")


def _number(value: object, name: str, least: int) -> int | Keep | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and least <= value <= _MOST):
        return value
    if value == "keep":
        return "keep"
    raise BadInput(f"{name}: {shown(value)} is no whole number from {least} on, nor None for no limit")


def limits(tenant: str) -> Move[Limits]:
    """The limits of a tenant as they stand; of one without any, none."""
    (row,) = yield from ask(READ_LIMIT(tenant=tenant))
    return Limits(
        tenant,
        bool(row.suspended),
        row.cap,
        row.quota,
        row.note or "",
        row.by,
        row.at,
        row.running,
        row.starts,
    )


def set_limits(tenant: str, change: Change, by: str) -> Move[Limits]:
    """Change the limits of a tenant; the same twice changes nothing the second time (I15).

    Claims see it from the next one on: what runs goes on.
    """
    before = yield from ask(HOLD_LIMIT(tenant=tenant))
    suspended, cap, quota, note = (False, None, None, "") if not before else before[0][:4]
    after = (
        suspended if change.suspended is None else change.suspended,
        cap if change.cap == "keep" else change.cap,
        quota if change.quota == "keep" else change.quota,
        note if change.note is None else change.note,
    )
    if after != (suspended, cap, quota, note):
        values = dict(zip(("suspended", "cap", "quota", "note"), after, strict=True))
        yield from ask(SET_LIMIT(tenant=tenant, by=by, **values))
    return (yield from limits(tenant))
