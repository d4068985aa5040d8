"""Running slots that have gone by: a range of them, once, one after the other, beside the series.

A backfill is a lane with a range. Its slots are fixed when it is asked for, so what a rehearsal shows is what
runs. One row of the lane is open at a time, and the start of it opens the next in the same transaction
(`projector.moves.turns`), so whoever dies leaves nothing behind that would have to be told again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from ledger.errors import BadInput, Disabled, NotFound
from ledger.facts import instant_text
from ledger.moves.adopt import NewRow, Subject, adopt
from ledger.moves.archive import kept_from
from ledger.moves.close import Closing, close
from ledger.moves.definitions import parse
from ledger.moves.retry import BACKFILL
from ledger.moves.step import Batch, Move, ask, within_savepoint
from ledger.statements.acts import LOCK_TASKS, READ_REFERENCES, TELL_ACT, LockedTask
from ledger.statements.again import (
    ADD_BACKFILL,
    ADVANCE_BACKFILLS,
    CANCEL_BACKFILL,
    READ_BACKFILL,
    READ_BACKFILL_ROWS,
    READ_RULE,
    READ_TAKEN_SLOTS,
    BackfillRow,
)
from ledger.statements.occurrences import CANCEL_ROWS, FREE_WAITERS
from projector.moves.open import read_subjects
from projector.moves.project import anchor_of
from projector.moves.ranges import Range, check_asked, check_at_once, check_kept, check_over, slots_of

BackfillState: TypeAlias = Literal["going", "done", "stopped", "cancelled"]


@dataclass(frozen=True, slots=True)
class Backfilled:
    """A backfill, as it stands.

    `slots` of the range are its own, from `first` to `last`; `opened` of them have been opened. Left out were
    `ran`, which had run, or are another backfill's, and `coming`, which the series still has before it.
    `made` is false where the request was made before. `key` is the open row's. `stopped`: the task was
    switched off; asked for again, the backfill goes on.
    """

    task: str
    request: str
    since: datetime
    until: datetime
    slots: int
    first: datetime | None
    last: datetime | None
    ran: int
    coming: int
    opened: int
    at_once: int
    state: BackfillState
    key: UUID | None
    made: bool


@dataclass(frozen=True, slots=True)
class BackfillCancelled:
    """What a cancel did to a backfill: rows that were open or ran, and slots that it will not come to."""

    task: str
    request: str
    did: Literal["cancelled", "unchanged"]
    open: int
    running: int
    left: int


def rehearse_backfill(tenant: str, wanted: Range, by: str) -> Move[Backfilled]:
    """What a backfill would run: it is carried out and undone, so the answer cannot lie. Raises the same."""
    return (yield from within_savepoint(backfill(tenant, wanted, by), keep=False))


def backfill(tenant: str, wanted: Range, by: str) -> Move[Backfilled]:
    """Open a backfill, or find the one of this request; one that was stopped goes on (I15).

    Raises `NotFound`, `Disabled`, and `BadInput` for a range that is not over, that begins before the history
    that is kept (nobody could tell what has run), that has too many slots, or that is not the request's.
    """
    check_asked(tenant, wanted)
    (rule,) = yield from ask(READ_RULE(tenant=tenant, task=wanted.task))
    until = wanted.until or rule.moment
    check_over(tenant, wanted, until, rule.moment)
    # The walk over a long range is done before anybody has to wait for it.
    found = None if rule.canonical is None else slots_of(tenant, wanted, until, parse(rule.canonical))
    locked = yield from ask(LOCK_TASKS(tenants=[tenant], tasks=[wanted.task]))
    for known in (yield from _read(tenant, wanted.task, wanted.request)):
        return (yield from _found(tenant, wanted, known, locked))
    if not locked:
        raise NotFound("backfilling: the tenant has no such task", tenant=tenant, task=wanted.task)
    if not locked[0].enabled:
        raise Disabled("backfilling: it is disabled; enable it first", tenant=tenant, task=wanted.task)
    subject = (yield from read_subjects(tenant, locked))[wanted.task]
    check_at_once(tenant, wanted, subject.definition)
    check_kept(tenant, wanted, (yield from kept_from()))
    if found is None or rule.digest != subject.digest:
        found = slots_of(tenant, wanted, until, subject.definition)
    return (yield from _open(wanted, until, subject, found, by))


def cancel_backfill(
    tenant: str, task: str, request: str, by: str, reason: str | None = None
) -> Move[BackfillCancelled]:
    """Cancel a backfill as a whole: what is open and what runs of it, and what it would have come to.

    Retries of its runs too. Raises `NotFound` for a request that was never made.
    """
    yield from ask(LOCK_TASKS(tenants=[tenant], tasks=[task]))
    found = yield from _read(tenant, task, request)
    if not found:
        raise NotFound(
            f"cancelling a backfill: the task has none of request {request!r}", tenant=tenant, task=task
        )
    (known,) = found
    rows = yield from ask(READ_BACKFILL_ROWS(tenant=tenant, task=task, request=request))
    if known.cancelled is not None and not rows:
        return BackfillCancelled(task, request, "unchanged", 0, 0, 0)
    opened = [row.key for row in rows if row.state == "pending"]
    runs = [row.key for row in rows if row.state == "running"]
    unstarted = known.open_key is not None or (known.opened > 0 and not known.disposed)
    left = len(known.slots) - known.opened + unstarted
    did: Literal["cancelled", "unchanged"] = "cancelled" if rows or left else "unchanged"
    if did == "cancelled":
        yield from ask(CANCEL_BACKFILL(tenant=tenant, task=task, request=request, by=by, unstarted=unstarted))
        yield from ask(CANCEL_ROWS(keys=opened, tenants=[tenant] * len(opened), by=by, reason=reason))
        yield from close(
            [Closing(tenant, task, key, "cancelled", "cancel", by=by, reason=reason) for key in runs]
        )
        # What is open may have been the next to have its turn among others that wait.
        yield from ask(FREE_WAITERS(tenants=[tenant], tasks=[task]))
    return BackfillCancelled(task, request, did, len(opened), len(runs), left)


def go_on(tenant: str, task: str, lane: str) -> Move[None]:
    """Where the open row of a backfill has left its lane without a start, open the next; the task is held."""
    request = lane.removeprefix(BACKFILL)
    locked = yield from ask(LOCK_TASKS(tenants=[tenant], tasks=[task]))
    found = yield from _read(tenant, task, request)
    if found and locked and locked[0].enabled and _state(found[0]) == "stopped":
        yield from _resume(tenant, locked[0], found[0], lane)


def next_row(subject: Subject, lane: str, due: datetime, run_at: datetime, before: UUID | None) -> NewRow:
    """The row of a backfill's slot. It may start once it is opened; by its slot it would go before all."""
    return replace(subject.row(lane, due, run_at=run_at), predecessor=before)


def _read(tenant: str, task: str, request: str) -> Move[list[BackfillRow]]:
    return ask(READ_BACKFILL(tenant=tenant, task=task, request=request))


def _open(
    wanted: Range, until: datetime, subject: Subject, slots: Sequence[datetime], by: str
) -> Move[Backfilled]:
    """Keep what is asked for, without the slots that have run and those that the series will run."""
    tenant = subject.tenant
    (reference,) = yield from ask(READ_REFERENCES(tenant=tenant, tasks=[wanted.task]))
    after = anchor_of(reference).after
    gone = [slot for slot in slots if slot <= after]
    taken: set[datetime] = set()
    if gone and not wanted.again:
        asked = READ_TAKEN_SLOTS(tenant=tenant, task=wanted.task, slots=gone)
        taken = {row.due for row in (yield from ask(asked))}
    own = [slot for slot in gone if slot not in taken]
    known = BackfillRow(
        wanted.since,
        until,
        own,
        min(len(own), 1),
        len(taken),
        len(slots) - len(gone),
        wanted.at_once,
        cancelled=None,
        open_key=None,
        running=0,
        disposed=not own,
    )
    yield from ask(
        ADD_BACKFILL(
            tenant=tenant,
            task=wanted.task,
            request=wanted.request,
            since=wanted.since,
            until=until,
            slots=own,
            opened=known.opened,
            ran=known.ran,
            coming=known.coming,
            at_once=wanted.at_once,
            at=reference.moment,
            by=by,
        )
    )
    if own:
        row = next_row(subject, f"{BACKFILL}{wanted.request}", own[0], reference.moment, None)
        yield from adopt([row], f"backfill: {by}", reference.moment)
        yield Batch([TELL_ACT()])
        known = known._replace(open_key=row.key)
    return _answer(wanted.task, wanted.request, known, made=True)


def _found(tenant: str, wanted: Range, known: BackfillRow, locked: Sequence[LockedTask]) -> Move[Backfilled]:
    """The backfill that the request made; where it was stopped and may go on, it goes on."""
    same = (known.since, known.at_once) == (wanted.since, wanted.at_once)
    if not same or wanted.until not in (None, known.until):
        raise BadInput(
            f"backfilling: request {wanted.request!r} was made before, for the slots from "
            f"{instant_text(known.since)} to {instant_text(known.until)}, {known.at_once} at once; "
            "ask for these, or take another id",
            tenant=tenant,
            task=wanted.task,
        )
    if _state(known) == "stopped" and locked and locked[0].enabled:
        yield from _resume(tenant, locked[0], known, f"{BACKFILL}{wanted.request}")
        yield Batch([TELL_ACT()])
        (known,) = yield from _read(tenant, wanted.task, wanted.request)
    return _answer(wanted.task, wanted.request, known, made=False)


def _resume(tenant: str, task: LockedTask, known: BackfillRow, lane: str) -> Move[None]:
    """Open the slot that was opened last and never had its turn, or else the one after it."""
    at = known.opened if known.disposed else known.opened - 1
    if at >= len(known.slots):
        return
    subject = (yield from read_subjects(tenant, [task]))[task.task]
    (reference,) = yield from ask(READ_REFERENCES(tenant=tenant, tasks=[task.task]))
    row = next_row(subject, lane, known.slots[at], reference.moment, None)
    yield from adopt([row], "backfill", reference.moment)
    if at == known.opened:
        asked = {"tenants": [tenant], "tasks": [task.task], "requests": [lane.removeprefix(BACKFILL)]}
        yield from ask(ADVANCE_BACKFILLS(**asked))


def _answer(task: str, request: str, known: BackfillRow, *, made: bool) -> Backfilled:
    slots = known.slots
    return Backfilled(
        task,
        request,
        known.since,
        known.until,
        len(slots),
        slots[0] if slots else None,
        slots[-1] if slots else None,
        known.ran,
        known.coming,
        known.opened,
        known.at_once,
        _state(known),
        known.open_key,
        made,
    )


def _state(known: BackfillRow) -> BackfillState:
    if known.cancelled is not None:
        return "cancelled"
    if known.open_key is not None or known.running:
        return "going"
    return "done" if known.opened == len(known.slots) and known.disposed else "stopped"
