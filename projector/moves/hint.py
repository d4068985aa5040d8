"""Hints: a planner's word on when a task runs next, given or taken back beside what its author asked for.

Each is one transaction: it takes the task's lock, writes the hint, and projects the open row of the series
anew where it says otherwise now.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias
from uuid import UUID

from ledger.errors import BadInput, NotFound, TooEarly
from ledger.facts import instant_text
from ledger.moves.adopt import NewRow, adopt
from ledger.moves.step import Batch, Move, ask
from ledger.statements.acts import LOCK_TASKS, READ_REFERENCES, TELL_ACT, LockedTask, Reference
from ledger.statements.hints import GIVE_HINT, READ_OPEN_SERIES, OpenSeries
from ledger.statements.occurrences import FREE_WAITERS, RETIRE_ROWS
from projector.moves.follow import Follows, follows
from projector.moves.hints import drop_hints, hints_of, unread_hints
from projector.moves.open import derive_series
from projector.moves.project import anchor_of
from projector.moves.trail import HintKind, lasting

HintDid: TypeAlias = Literal["given", "withdrawn", "unchanged"]


@dataclass(frozen=True, slots=True)
class Wish:
    """A hint as it is asked for: exactly one of `every` and `at`; `expires` an instant, or from now on."""

    every: timedelta | None
    at: datetime | None
    expires: datetime | timedelta

    @property
    def kind(self) -> HintKind:
        return "interval" if self.at is None else "oneshot"


@dataclass(frozen=True, slots=True)
class Hinted:
    """What became of a hint, and what the series does next.

    `did` is `given`, `withdrawn`, or `unchanged` where there was none in force to withdraw. `next` is the
    slot of the series' open row, and `source` what put it there (`ai-interval`, `baseline-cron`, …); None
    where the task is off or has `ended`.
    """

    task: str
    kind: HintKind
    did: HintDid
    expires: datetime | None
    next: datetime | None
    key: UUID | None
    source: str | None
    ended: bool
    enabled: bool


def hint(tenant: str, task: str, wish: Wish, by: str, note: str = "") -> Move[Hinted]:
    """Give a hint, in the place of one of its kind, and project the open row anew (I4, I10).

    A hint never edits the task and survives edits until it expires; for a task that is off it waits. Given
    again with the same value it keeps the time of its first giving, so that renewing one puts nothing off;
    but a one-shot is given anew, and runs at once, where the row that covers its instant has its disposition.

    Raises `NotFound`; `BadInput` for one that has expired, or would before its instant; `TooEarly` for one
    whose instant is not later than the frontier, naming the row there.
    """
    locked = yield from _locked(tenant, task, "giving a hint")
    (reference,) = yield from ask(READ_REFERENCES(tenant=tenant, tasks=[task]))
    moment = reference.moment
    expires = wish.expires if isinstance(wish.expires, datetime) else moment + wish.expires
    _check_expiry(tenant, reference, wish, expires)
    _check_frontier(tenant, reference, wish)
    yield from ask(
        GIVE_HINT(
            tenant=tenant,
            task=task,
            kind=wish.kind,
            at=wish.at,
            every=wish.every,
            given=moment,
            frontier=reference.frontier,
            expires=expires,
            by=by,
            note=note,
        )
    )
    return (yield from _answer(locked, wish.kind, "given", expires, by))


def withdraw(tenant: str, task: str, kind: HintKind, by: str) -> Move[Hinted]:
    """Take back the hint of a kind, and project the open row anew. Raises `NotFound` for the task.

    One that has expired by now, but had not for the reference of the open row, is in force still (I10).
    """
    locked = yield from _locked(tenant, task, "withdrawing a hint")
    counts = locked.enabled and (yield from _counts(tenant, task, kind))
    dropped = yield from ask(drop_hints(tenant, [task], [kind]))
    did: HintDid = "withdrawn" if counts or any(row.stood for row in dropped) else "unchanged"
    return (yield from _answer(locked, kind, did, None, by))


def _counts(tenant: str, task: str, kind: HintKind) -> Move[bool]:
    """Whether a hint of the kind says anything of the row that the reference calls for."""
    calls = (READ_REFERENCES(tenant=tenant, tasks=[task]), unread_hints([(tenant, task)]))
    answers = yield Batch(calls)
    (reference,) = calls[0].read(answers[0])
    anchor = anchor_of(reference)
    return any(
        hint.kind == kind and hint.fresh(anchor.base) and hint.instant(anchor.after, anchor.base) is not None
        for hint in hints_of(calls[1].read(answers[1])).get((tenant, task), ())
    )


def _locked(tenant: str, task: str, doing: str) -> Move[LockedTask]:
    for locked in (yield from ask(LOCK_TASKS(tenants=[tenant], tasks=[task]))):
        return locked
    raise NotFound(f"{doing}: the tenant has no such task", tenant=tenant, task=task)


def _check_expiry(tenant: str, reference: Reference, wish: Wish, expires: datetime) -> None:
    said = f"giving a hint: it expires at {instant_text(expires)}"
    if expires <= reference.moment:
        raise BadInput(
            f"{said}, and it is {instant_text(reference.moment)}; name an instant to come, or a duration",
            tenant=tenant,
            task=reference.task,
        )
    if wish.at is not None and wish.at > expires:
        raise BadInput(
            f"{said}, before its instant {instant_text(wish.at)}; let it expire later",
            tenant=tenant,
            task=reference.task,
        )


def _check_frontier(tenant: str, reference: Reference, wish: Wish) -> None:
    says = reference.moment if wish.at is None else max(reference.moment, wish.at)
    if reference.base is not None:
        says = max(says, reference.base + (wish.every or timedelta(0)))
    if reference.frontier is not None and says <= reference.frontier:
        raise TooEarly(
            f"giving a hint: it asks for {instant_text(says)}, and the slot "
            f"{instant_text(reference.frontier)} has its disposition already; ask for a later instant",
            tenant=tenant,
            task=reference.task,
            key=str(reference.frontier_key),
        )


def _answer(
    locked: LockedTask, kind: HintKind, did: HintDid, expires: datetime | None, by: str
) -> Move[Hinted]:
    source, then = None, Follows()
    if locked.enabled:
        source = yield from _project_anew(locked, f"hint {did}", by)
        then = yield from follows(locked.tenant, locked.task)
    return Hinted(locked.task, kind, did, expires, then.next, then.key, source, then.ended, locked.enabled)


def _project_anew(locked: LockedTask, why: str, by: str) -> Move[str | None]:
    """Put the row that is called for now in the place of the open one; what put it there.

    One that stands as it is called for is left alone, though its trail may name an expiry of before: a hint
    that is renewed every minute must not make the row's history grow every minute.
    """
    tenant, task = locked.tenant, locked.task
    found = yield from ask(READ_OPEN_SERIES(tenant=tenant, task=task))
    (row,), moment = yield from derive_series(tenant, [locked])
    if any(_stands(open_row, row) for open_row in found):
        return row.source
    if found:
        keys = [open_row.key for open_row in found]
        yield from ask(
            RETIRE_ROWS(keys=keys, tenants=[tenant] * len(keys), reason=why, at=instant_text(moment), by=by)
        )
        # It may have been the one freed when a run ended, before others that wait: now the next has its turn.
        yield from ask(FREE_WAITERS(tenants=[tenant], tasks=[task]))
    yield from adopt([row], "hint", moment)
    yield Batch([TELL_ACT()])
    return row.source


def _stands(found: OpenSeries, row: NewRow) -> bool:
    stood = (found.key, found.source, found.passed, lasting(found.trail))
    return stood == (row.key, row.source, row.passed, lasting(row.trail))
