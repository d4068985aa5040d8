"""What claims, starts and closings make of the model's book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from tests.moves.histories.book import FAILED, SERIES, Book, Ref, Row, attempt
from tests.moves.histories.passing import Passing
from tests.moves.own_slots import MICROSECOND

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
    replaced: list[UUID] = field(default_factory=list)


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
        self.waits: list[tuple[Row, list[Row]]] = []

    def settle(self) -> Settled:
        dead = [row for row in self.rows if not self._alive(row)]
        for row in dead:
            self.book.retire(row, "dead digest")
            self.told.retired += 1
        for row in self.rows:
            if row not in dead:
                self._decide(row, (row.tenant, row.task))
        self._let_wait()
        for name in {(row.tenant, row.task) for row in dead if row.lane == SERIES}:
            if name in self.book.tasks and self.book.tasks[name].enabled:
                self.book.enter(self.book.successor(name))
        return self.told

    def _alive(self, row: Row) -> bool:
        task = self.book.tasks.get((row.tenant, row.task))
        return task is not None and task.enabled and task.text.digest == row.digest

    def _decide(self, row: Row, name: tuple[str, str]) -> None:
        blockers = self.running[name]
        if name in self.began:
            self.told.left += 1
        elif row.lane == SERIES:
            self._decide_series(row, name, blockers)
        elif blockers:
            self.waits.append((row, blockers))
        else:
            self._begin(row, row.failures)

    def _decide_series(self, row: Row, name: tuple[str, str], blockers: list[Row]) -> None:
        book, text, now = self.book, self.book.tasks[name].text, self.book.now
        failures = book.failures(row)
        gate = book.gate(name, failures)
        come = [row.due, *text.version.between(row.due, now + MICROSECOND)]
        slot = text.caught_up(come)[0]
        late = text.grace is not None and now - slot - self._waited(row, slot) > text.grace
        if blockers and not late and text.overlap == "queue":
            self.waits.append((row, blockers))
            return
        if slot != row.due:
            self._skip(row, "misfire", (), failures)
            row = book.enter(book.follow(name, Ref(row.due, now, row.key), Passing(slot, "misfire")))
            book.decided["more than the limit"] += text.catch_up == "all"
        passing = None
        if late:
            self._skip(row, "misfire", (), failures)
            passing = book.too_late(name, now)
            book.decided[f"too late, {text.catch_up}"] += 1
        elif blockers and text.overlap == "skip":
            self._skip(row, "overlap", blockers, failures)
        elif gate is not None and row.due < gate:
            self._skip(row, "backoff", (), failures)
            passing = Passing(gate, "backoff")
        else:
            if blockers and text.overlap == "replace":
                self._replace(name, blockers)
            book.decided["beside another"] += bool(blockers) and text.overlap == "allow"
            book.decided["in turn"] += text.catch_up == "all" and len(come) > 1
            in_time = text.grace is None or now - row.due <= text.grace
            book.decided["late, but for its wait"] += not in_time
            self._begin(row, failures)
        if not blockers and text.overlap == "queue" and row.state == "skipped":
            # It had its turn, and did not run.
            book.free_oldest(name)
        book.enter(book.follow(name, Ref(row.due, now, row.key), passing))

    def _waited(self, row: Row, slot: datetime) -> timedelta:
        """For how long of its lateness a slot could not start, since its row waited for runs."""
        if row.queued is None or row.freed is None or self.book.texts[row.digest].overlap != "queue":
            return timedelta(0)
        return max(row.freed - max(row.queued, slot), timedelta(0))

    def _let_wait(self) -> None:
        """Rows wait for what still runs; where another row of this claim has replaced it, they stay due."""
        for row, blockers in self.waits:
            if all(run.state == "running" for run in blockers):
                self.book.wait(row, blockers)
                self.told.waiting += 1
            else:
                self.told.left += 1

    def _replace(self, name: tuple[str, str], blockers: list[Row]) -> None:
        """All that runs of the task gives way, and is not tried again; what waits has its turn later."""
        for run in blockers:
            run.state = run.outcome = "cancelled"
            run.reason, run.closed = "replaced", self.book.now
            self.told.replaced.append(run.key)
        self.book.free_oldest(name)

    def _skip(self, row: Row, why: str, blockers: Sequence[Row], failures: int) -> None:
        row.state, row.reason, row.closed = "skipped", why, self.book.now
        row.blocked_by, row.failures = (blockers[0].key if blockers else None), failures
        row.blockers = frozenset(r.key for r in blockers)
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


def close(
    book: Book, row: Row, state: str, why: str, incarnation: int | None = None, *, free: bool = True
) -> Closed:
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
        # The first success after failures says so: after slots that failed, or after attempts of its own.
        recovered = row.failures or attempt(row.wake) > row.unhanded[0]
        row.failures, row.reason = 0, "recovered" if recovered else None
    elif state in FAILED and retry is None:
        row.failures += 1
    if free:
        book.free_oldest(name)
    if retry is None:
        return Closed(counted=True)
    retry = book.enter(retry)
    return Closed(counted=True, retry=retry.key, retry_at=retry.run_at)
