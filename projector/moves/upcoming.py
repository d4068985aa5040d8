"""What comes next: the rows that are open, and what follows each of them, foretold by the Governor.

What is foretold holds if every run starts on time, nobody acts meanwhile and no hint is given: hints, bounds
and pauses in force are taken as the Governor takes them, from the row before and its start.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from ledger.errors import Misconfigured
from ledger.moves.adopt import SERIES, Subject
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.reads import PAGE_MOST, check_known, read_page_size
from ledger.moves.step import Batch, Move, ask
from ledger.statements.reads import READ_OPEN, READ_TASK_OPEN, Occurrence
from ledger.statements.upcoming import READ_ORIGINS, OriginRow
from projector.moves.governor import govern
from projector.moves.hints import hints_of, unread_hints
from projector.moves.project import spread
from projector.moves.trail import Hint
from projector.slots import schedule_of

# Open rows that one look at a tenant takes in.
LOOK_MOST = 10_000
# Runs that are told where neither their number nor an end is given.
USUAL = 10


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A run to come. `open`: its row stands in the ledger; `computed`: what follows that row, foretold.

    `key` is derived from the facts either way: it is the key that the row will have, unless the task changes.
    `source` is the Governor's word for why it is due then: a rule's `baseline-…`, a hint's `ai-…`, a bound's
    `clamped-…`, or `paused` for the first after a pause; None outside the series. A row that waits behind
    another run, is set aside, or whose slots cannot be computed says so in `reason`.
    """

    task: str
    due: datetime
    run_at: datetime
    wake: str
    key: UUID
    known: Literal["open", "computed"]
    reason: str | None = None
    source: str | None = None


def read_count(count: object, until: datetime | None) -> int:
    """How many runs are told: as many as asked for, to 1,000; else ten, or all to `until` and at most 1,000.

    Raises `BadInput`.
    """
    if count is None:
        return USUAL if until is None else PAGE_MOST
    return read_page_size(count)


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
    origins, hints = yield from _read(tenant, series)
    texts = yield from read_definitions([(tenant, row.digest) for row in series])
    lines: list[Iterator[Upcoming]] = []
    unread: dict[UUID, str] = {}
    for row in series:
        subject = Subject(tenant, row.task, row.digest, parse(texts[tenant, row.digest]))
        try:
            schedule_of(subject.definition.schedule)
        except Misconfigured as error:
            # Its zone has gone from tzdata: that is this task's trouble alone.
            unread[row.key] = str(error)
        else:
            known = hints.get((tenant, row.task), ())
            lines.append(_computed(subject, row, origins.get(row.key), known, until))
    opened = sorted((_open(row, origins.get(row.key), unread.get(row.key)) for row in soonest), key=_order)
    merged = heapq.merge(opened, *lines, key=_order)
    return [one for one, _ in zip(merged, range(count), strict=False)]


def _read(
    tenant: str, series: Sequence[Occurrence]
) -> Move[tuple[Mapping[UUID, OriginRow], Mapping[tuple[str, str], Sequence[Hint]]]]:
    """Why the open rows of series stand where they do, and the hints that may count after them."""
    if not series:
        return {}, {}
    why = READ_ORIGINS(tenant=tenant, keys=[row.key for row in series])
    given = unread_hints([(tenant, row.task) for row in series])
    origins, hints = yield Batch((why, given))
    return {row.key: row for row in why.read(origins)}, hints_of(given.read(hints))


def _order(one: Upcoming) -> tuple[datetime, str, datetime]:
    return one.run_at, one.task, one.due


def _within(rows: Sequence[Occurrence], count: int, until: datetime | None) -> Sequence[Occurrence]:
    """Only these can matter: what opens later than the last one asked for has its slots later still."""
    return [row for row in rows[:count] if until is None or row.run_at <= until]


def _open(row: Occurrence, origin: OriginRow | None, unread: str | None) -> Upcoming:
    source = None if origin is None else origin.source
    return Upcoming(row.task, row.due, row.run_at, row.wake, row.key, "open", row.reason or unread, source)


def _computed(
    subject: Subject,
    row: Occurrence,
    origin: OriginRow | None,
    hints: Sequence[Hint],
    until: datetime | None,
) -> Iterator[Upcoming]:
    """What follows an open row, as if each run started when it may; an overdue one starts now."""
    later = spread(subject)
    after, base, won = row.due, row.run_at, None
    if origin is not None:
        base, won = max(base, origin.moment), origin.won
    while True:
        # A one-shot is consumed by the start of its row.
        hints = [hint for hint in hints if won != "oneshot" or hint.kind != won]
        said = govern(after, base, subject.definition, hints)
        if said.due is None or (until is not None and said.due + later > until):
            return
        found = subject.row(said.wake, said.due)
        run_at = said.due + later
        yield Upcoming(subject.task, said.due, run_at, found.wake, found.key, "computed", source=said.source)
        after, base, won = said.due, max(run_at, base), said.won
