"""What comes next: the rows that are open, and the slots after them, computed without the ledger."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from ledger.errors import Misconfigured
from ledger.moves.adopt import SERIES, Subject
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.reads import check_known
from ledger.moves.step import Move, ask
from ledger.statements.reads import READ_OPEN, READ_TASK_OPEN, Occurrence
from projector.moves.project import spread
from projector.slots import Slots, schedule_of

# Open rows that one look at a tenant takes in.
LOOK_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A run to come. `open`: its row stands in the ledger; `computed`: the rule's next slots after that row.

    `key` is derived from the facts either way: it is the key that the row will have, unless the task changes.
    A row that waits behind another run, is set aside, or whose slots cannot be computed says so in `reason`.
    """

    task: str
    due: datetime
    run_at: datetime
    wake: str
    key: UUID
    known: Literal["open", "computed"]
    reason: str | None = None


def upcoming(tenant: str, task: str | None, count: int, until: datetime | None) -> Move[list[Upcoming]]:
    """At most `count` runs to come, soonest first, no later than `until` (None: no bound).

    Raises `NotFound` for a task that never was.
    """
    if task is None:
        rows = yield from ask(READ_OPEN(tenant=tenant, n=LOOK_MOST))
    else:
        rows = yield from ask(READ_TASK_OPEN(tenant=tenant, task=task, n=LOOK_MOST))
    if not rows and task is not None:
        yield from check_known(tenant, task)
    soonest = _within(rows, count, until)
    series = [row for row in soonest if row.lane == SERIES]
    texts = yield from read_definitions([(tenant, row.digest) for row in series])
    lines: list[Iterator[Upcoming]] = []
    unread: dict[UUID, str] = {}
    for row in series:
        subject = Subject(tenant, row.task, row.digest, parse(texts[tenant, row.digest]))
        try:
            lines.append(_computed(subject, schedule_of(subject.definition.schedule), row.due, until))
        except Misconfigured as error:
            # Its zone has gone from tzdata: that is this task's trouble alone.
            unread[row.key] = str(error)
    opened = sorted((_open(row, unread.get(row.key)) for row in soonest), key=_order)
    merged = heapq.merge(opened, *lines, key=_order)
    return [one for one, _ in zip(merged, range(count), strict=False)]


def _order(one: Upcoming) -> tuple[datetime, str, datetime]:
    return one.run_at, one.task, one.due


def _within(rows: Sequence[Occurrence], count: int, until: datetime | None) -> Sequence[Occurrence]:
    """Only these can matter: what opens later than the last one asked for has its slots later still."""
    return [row for row in rows[:count] if until is None or row.run_at <= until]


def _open(row: Occurrence, unread: str | None) -> Upcoming:
    return Upcoming(row.task, row.due, row.run_at, row.wake, row.key, "open", row.reason or unread)


def _computed(subject: Subject, slots: Slots, after: datetime, until: datetime | None) -> Iterator[Upcoming]:
    later = spread(subject)
    while (slot := slots.next(after)) is not None and (until is None or slot + later <= until):
        row = subject.row("schedule", slot)
        yield Upcoming(subject.task, slot, slot + later, row.wake, row.key, "computed")
        after = slot
