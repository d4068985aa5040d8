"""What claims, starts and closings make of the model's book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from tests.moves.histories.book import FAILED, SERIES, Book, Ref, Row
from tests.moves.histories.passing import Passing

UNHANDED_MOST = 3


@dataclass
class Settled:
    """What a claim must answer."""

    started: list[UUID] = field(default_factory=list)
    looked_at: int = 0
    skipped: int = 0
    waiting: int = 0
    retired: int = 0
    left: int = 0


def due(book: Book, *deliveries: str) -> list[Row]:
    """What a claim would take: due, free, of a task that is there, oldest first."""
    rows = [
        r
        for r in book.rows.values()
        if r.state == "pending"
        and r.blocked_by is None
        and r.run_at <= book.now
        and r.delivery in deliveries
        and (r.tenant, r.task) in book.tasks
    ]
    return sorted(rows, key=lambda r: r.run_at)


def settle(book: Book, rows: Sequence[Row], incarnation: int | None, *, handed: bool) -> Settled:
    """Decide on due rows, the oldest first; of one task's rows one starts, the others wait for their turn."""
    return _Claim(book, rows, incarnation, handed).settle()


class _Claim:
    """One claim under way: what ran before it, and which tasks it has started."""

    def __init__(self, book: Book, rows: Sequence[Row], incarnation: int | None, handed: bool) -> None:
        self.book, self.rows = book, rows
        self.incarnation, self.handed = incarnation, handed
        self.told = Settled(looked_at=len(rows))
        self.running = {name: book.runs(name) for name in {(r.tenant, r.task) for r in rows}}
        self.began: set[tuple[str, str]] = set()

    def settle(self) -> Settled:
        dead = [row for row in self.rows if not self._alive(row)]
        for row in dead:
            self.book.retire(row, "dead digest")
            self.told.retired += 1
        for row in self.rows:
            if row not in dead:
                self._decide(row, (row.tenant, row.task))
        for name in {(row.tenant, row.task) for row in dead if row.lane == SERIES}:
            if name in self.book.tasks and self.book.tasks[name].enabled:
                self.book.enter(self.book.successor(name))
        return self.told

    def _alive(self, row: Row) -> bool:
        task = self.book.tasks.get((row.tenant, row.task))
        return task is not None and task.enabled and task.text.digest == row.digest

    def _decide(self, row: Row, name: tuple[str, str]) -> None:
        blocker = self.running[name]
        if name in self.began:
            self.told.left += 1
        elif row.lane == SERIES:
            self._decide_series(row, name, blocker)
        elif blocker is not None:
            row.blocked_by, row.reason = blocker.key, "waiting"
            self.told.waiting += 1
        else:
            self._begin(row, row.failures)

    def _decide_series(self, row: Row, name: tuple[str, str], blocker: Row | None) -> None:
        book, failures = self.book, self.book.failures(row)
        gate = book.gate(name, failures)
        newest = book.tasks[name].text.version.newest(book.now)
        if newest is not None and newest > row.due:
            self._skip(row, "misfire", None, failures)
            row = book.enter(book.follow(name, Ref(row.due, book.now, row.key), Passing(newest, "misfire")))
        if blocker is not None:
            self._skip(row, "overlap", blocker.key, failures)
            gate = None
        elif gate is not None and row.due < gate:
            self._skip(row, "backoff", None, failures)
        else:
            self._begin(row, failures)
            gate = None
        passing = Passing(gate, "backoff") if gate else None
        book.enter(book.follow(name, Ref(row.due, book.now, row.key), passing))

    def _skip(self, row: Row, why: str, blocker: UUID | None, failures: int) -> None:
        row.state, row.reason, row.closed = "skipped", why, self.book.now
        row.blocked_by, row.failures = blocker, failures
        self.told.skipped += 1

    def _begin(self, row: Row, failures: int) -> None:
        name, now = (row.tenant, row.task), self.book.now
        row.state, row.reason, row.started, row.failures = "running", None, now, failures
        row.deadline = now + self.book.tasks[name].text.timeout
        row.incarnation, row.handed = self.incarnation, now if self.handed else None
        self.book.use_up(row)
        self.told.started.append(row.key)
        self.began.add(name)


@dataclass(frozen=True)
class Closed:
    """What a closing must answer."""

    counted: bool
    retry: UUID | None = None
    retry_at: datetime | None = None


def close(book: Book, row: Row, state: str, why: str, incarnation: int | None = None) -> Closed:
    """Close a run if it still runs and what is said of it holds; a late finish leaves evidence only (I7)."""
    holds = row.state == "running" and {
        "overdue": row.deadline is not None and row.deadline <= book.now,
        "absent": row.incarnation == incarnation,
        "unhanded": row.handed is None and row.incarnation == incarnation,
    }.get(why, True)
    if not holds:
        book.evidence += why == "finish"
        return Closed(counted=False)
    name = (row.tenant, row.task)
    unhanded = why == "unhanded"
    retry = book.retry_of(row, state, unhanded=unhanded) if unhanded or state in FAILED else None
    if unhanded and row.unhanded[1] + 1 == UNHANDED_MOST:
        state = "failed"
    row.state, row.closed, row.outcome = state, book.now, state
    on = name in book.tasks and book.tasks[name].enabled
    row.reason = "no retry" if (unhanded or state in FAILED) and not on else None
    if unhanded:
        row.reason = "unhanded"
    if state == "succeeded":
        row.failures = 0
    elif state in FAILED and retry is None:
        row.failures += 1
    book.free_oldest(name)
    if retry is None:
        return Closed(counted=True)
    retry = book.enter(retry)
    return Closed(counted=True, retry=retry.key, retry_at=retry.run_at)
