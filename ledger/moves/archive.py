"""Rows that have left the hot table: where in the archive they lie, and what is read of them there.

The archive has a partition for each day of `due`, and a key says its day, so one partition answers for a key.
Lists read it span by span, latest first, each span twice as many days as the one before: a page that is soon
full has locked a few days, and not every one that is kept. Who looks for a row looks among the hot ones
first: rows only ever move from there to here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import NamedTuple, TypeVar
from uuid import UUID

from ledger.facts import EPOCH
from ledger.moves.step import Batch, Call, Move, ask
from ledger.statements.archive import (
    FIND_ARCHIVED,
    FIND_ARCHIVED_REQUEST,
    LIST_DAYS,
    PLAN_EACH,
    READ_ARCHIVED,
    READ_ARCHIVED_HISTORY,
    READ_ARCHIVED_RELATIVES,
    READ_ARCHIVED_TASK_HISTORY,
    READ_WINDOWS,
)
from ledger.statements.occurrences import FoundRow, RequestRow
from ledger.statements.reads import Occurrence, Relative, WholeRow
from ledger.statements.why import READ_ARCHIVED_MINUTE, READ_ARCHIVED_NEXT, MinuteRow

R = TypeVar("R")

# No row of a run lies beyond it.
_LAST = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MICROSECOND = timedelta(microseconds=1)


class Span(NamedTuple):
    """A span of instants, both ends in it."""

    low: datetime
    high: datetime


def span_of(key: UUID) -> Span | None:
    """The millisecond of the slot that a key says; None for a key that no occurrence can have."""
    try:
        low = EPOCH + timedelta(milliseconds=key.int >> 80)
        return Span(low, low + _MILLISECOND - _MICROSECOND)
    except OverflowError:
        return None


def key_before(moment: datetime) -> UUID:
    """A key that no row due at the moment or later is below, and every row due a millisecond earlier is."""
    since = max(moment, EPOCH) - EPOCH
    return UUID(int=(since // _MILLISECOND) << 80)


def kept_from() -> Move[datetime]:
    """The instant from which on history is kept and will be (I16): what begins before it must be refused."""
    (windows,) = yield from ask(READ_WINDOWS())
    begins = windows.moment - windows.history
    return begins if windows.kept_from is None else max(begins, windows.kept_from)


def find_archived(tenant: str, key: UUID) -> Move[FoundRow | None]:
    """The row of a key that is not among the hot ones; None where it is not in the archive either."""
    span = span_of(key)
    if span is None:
        return None
    rows = yield from _there(FIND_ARCHIVED(tenant=tenant, key=key, **span._asdict()))
    return rows[0] if rows else None


def find_archived_request(tenant: str, task: str, wake: str) -> Move[list[RequestRow]]:
    """What became of a request whose row lies in the archive, under the lock of its task (I15)."""
    return (yield from ask(FIND_ARCHIVED_REQUEST(tenant=tenant, task=task, wake=wake)))


def read_archived(tenant: str, key: UUID) -> Move[list[WholeRow]]:
    """All that a row of the archive says; none where it is not there."""
    span = span_of(key)
    if span is None:
        return []
    return (yield from _there(READ_ARCHIVED(tenant=tenant, key=key, **span._asdict())))


def read_archived_relatives(row: WholeRow) -> Move[list[Relative]]:
    """The rows around one that lie in the archive; of those derived from it the first ones."""
    low = row.due
    if row.predecessor is not None and (before := span_of(row.predecessor)) is not None:
        low = min(low, before.low)
    days = yield from _days()
    found: list[Relative] = []
    for span in spans(days, low, _LAST, latest_first=False):
        call = READ_ARCHIVED_RELATIVES(
            tenant=row.tenant,
            task=row.task,
            key=row.key,
            predecessor=row.predecessor,
            due=row.due,
            **span._asdict(),
        )
        found += yield from _there(call)
        if any(one.predecessor == row.key and one.due > row.due for one in found):
            break
    return found


def read_archived_history(
    wanted: Mapping[str, object], low: datetime, high: datetime, n: int
) -> Move[list[Occurrence]]:
    """Closed rows of the archive due from `low` to `high`, latest first, at least `n` where there are.

    `wanted` are the parameters of a page of history; with a `task` the page is that task's alone.
    """
    statement = READ_ARCHIVED_TASK_HISTORY if "task" in wanted else READ_ARCHIVED_HISTORY
    days = yield from _days()
    found: list[Occurrence] = []
    for span in spans(days, low, high):
        found += yield from _there(statement(**wanted, **span._asdict()))
        if len(found) >= n:
            break
    return found


def read_archived_minute(
    tenant: str, task: str, times: tuple[datetime, datetime, datetime], n: int
) -> Move[list[MinuteRow]]:
    """Rows of a task that are due in a span, and the series row next after it; `times` are its beginning, its
    end, and until when rows may have left the hot table.
    """
    low, high, left = times
    there = Span(low, high - _MICROSECOND)
    found = yield from _there(READ_ARCHIVED_MINUTE(tenant=tenant, task=task, n=n, **there._asdict()))
    days = yield from _days()
    for span in spans(days, high, max(left, high), latest_first=False):
        following = yield from _there(READ_ARCHIVED_NEXT(tenant=tenant, task=task, **span._asdict()))
        if following:
            return [*found, *following]
    return found


def spans(days: Sequence[date], low: datetime, high: datetime, *, latest_first: bool = True) -> list[Span]:
    """`[low, high]` cut at the days that the archive has: one day, then two, then four, and so on.

    Where it has none there is one span; what lies outside of all days is in the spans as well.
    """
    starts = [start for day in days if low < (start := datetime.combine(day, time(), UTC)) <= high]
    starts.sort(reverse=latest_first)
    cuts, at, size = [], 0, 1
    while at < len(starts):
        cuts.append(starts[at])
        size *= 2
        at += size
    edges = [low, *sorted(cuts)]
    found = [Span(lower, upper - _MICROSECOND) for lower, upper in pairwise(edges)]
    found.append(Span(edges[-1], high))
    return found[::-1] if latest_first else found


def _days() -> Move[list[date]]:
    return [row.day for row in (yield from ask(LIST_DAYS()))]


def _there(call: Call[R]) -> Move[list[R]]:
    """Ask the archive: planned for the values of this one question."""
    _, rows = yield Batch((PLAN_EACH(), call))
    return call.read(rows)
