"""Cancelling an occurrence: a person's word on one row, open or running."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from ledger.errors import NotFound
from ledger.moves.adopt import SERIES
from ledger.moves.archive import find_archived
from ledger.moves.close import Closing, close
from ledger.moves.retry import BACKFILL
from ledger.moves.step import Move, ask
from ledger.statements.acts import LOCK_TASKS
from ledger.statements.occurrences import CANCEL_ROWS, FREE_WAITERS, DueRow
from projector.moves.backfill import go_on
from projector.moves.follow import follows
from projector.moves.open import open_series
from projector.moves.start import lock_row

CancelDid: TypeAlias = Literal["cancelled", "unchanged"]


@dataclass(frozen=True, slots=True)
class Cancelled:
    """What a cancel did to one occurrence, and what its series does next.

    `did` is `unchanged` where the row was closed, retired or ended already; `found` is the state in which the
    row was found. `next` is the slot of the series' open row; None where the task is off or has `ended`.
    """

    task: str
    key: UUID
    due: datetime
    did: CancelDid
    found: str
    next: datetime | None
    ended: bool


def cancel(tenant: str, key: UUID, by: str, reason: str | None = None) -> Move[Cancelled]:
    """Cancel one row: an open one never starts, a running one ends without a retry and frees what waits.

    The successor of a series row is projected in the same transaction (I4); the slot has its disposition for
    ever (I8). A closed row is not touched (I6), and the answer says so. Raises `NotFound` for a key that the
    ledger does not hold.
    """
    row = yield from lock_row(tenant, key)
    if row is None:
        return (yield from _left(tenant, key))
    did: CancelDid = "cancelled"
    if row.state == "pending":
        yield from _cancel_open(row, by, reason)
    elif row.state == "running":
        yield from close([Closing(tenant, row.task, key, "cancelled", "cancel", by=by, reason=reason)])
    else:
        did = "unchanged"
    then = yield from follows(tenant, row.task)
    return Cancelled(row.task, key, row.due, did, row.state, then.next, then.ended)


def _left(tenant: str, key: UUID) -> Move[Cancelled]:
    """The answer for a key that is not among the hot rows: what lies in the archive is not touched (I6)."""
    found = yield from find_archived(tenant, key)
    if found is None:
        raise NotFound("cancelling an occurrence: the ledger has no such key", tenant=tenant, key=str(key))
    then = yield from follows(tenant, found.task)
    return Cancelled(found.task, key, found.due, "unchanged", found.state, then.next, then.ended)


def _cancel_open(row: DueRow, by: str, reason: str | None) -> Move[None]:
    yield from ask(CANCEL_ROWS(keys=[row.key], tenants=[row.tenant], by=by, reason=reason))
    if row.lane == SERIES and row.enabled:
        # Held already: this reads the task again, to project under the digest in force.
        tasks = yield from ask(LOCK_TASKS(tenants=[row.tenant], tasks=[row.task]))
        yield from open_series(row.tenant, tasks, "cancel")
    elif row.lane.startswith(BACKFILL):
        yield from go_on(row.tenant, row.task, row.lane)
    if row.blocked_by is None and (row.lane != SERIES or row.run_at <= row.moment):
        # It may have been the one freed when a run ended, before others that wait: now the next has its turn.
        yield from ask(FREE_WAITERS(tenants=[row.tenant], tasks=[row.task]))
