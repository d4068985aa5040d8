"""The repair: gives back what a task must have, takes away what must not be, and counts it by kind.

Tasks are held first, in order, and only those that need it; then they are looked at again, and what is found
then is repaired. Runs are closed before open rows are touched: a finish takes its run first as well, and what
waits for it after, so that the two never wait for each other in a ring.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias
from uuid import UUID

from ledger.errors import Busy, OutcomeUnknown, Unreachable
from ledger.facts import instant_text
from ledger.moves.adopt import SERIES, adopt
from ledger.moves.presence import close_overdue, lose
from ledger.moves.retry import again
from ledger.moves.step import Batch, Move, ask
from ledger.statements.acts import LOCK_TASKS, READ_PENDING, READ_REFERENCES, LockedTask, PendingRow
from ledger.statements.dispatch import FREE_ASIDE
from ledger.statements.occurrences import ADD_EVIDENCE, RETIRE_ROWS
from ledger.statements.presence import OwnRun
from ledger.statements.sweep import FREE_WAITER, LOCK_FREE, LOCK_STRAYS, LOOK_OPEN
from projector.moves.open import open_series, read_subjects
from projector.moves.zones import move_zones
from sweeper.moves.causes import Attempt, cause_of
from sweeper.moves.holes import Mark
from sweeper.moves.look import Look, Wrong, look

SWEEP = "sweep"
# After so many tasks that cannot be repaired alone a tenant's transaction gives up: something else is wrong.
_MOST_UNREPAIRED = 20
# After so many locks that did not come, each waited for as long as the limits say, it gives up too.
_MOST_WAITS = 8

# The runs of a tenant that absent processes left, by incarnation.
Lost: TypeAlias = Mapping[int, Sequence[OwnRun]]


class Keyed(Protocol):
    """Whatever names a row and its task."""

    @property
    def task(self) -> str: ...
    @property
    def key(self) -> UUID: ...


@dataclass(slots=True)
class Mended:
    """What a repair did: how many of each kind, which rows it made, and which tasks it could not mend."""

    repairs: Counter[str] = field(default_factory=Counter)
    made: int = 0
    opened: int = 0
    ended: int = 0
    unrepaired: list[tuple[str, str]] = field(default_factory=list)
    # Those of them that somebody holds.
    locked: list[str] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    # What made the repairs needed, most likely, in a sentence.
    why: str | None = None

    def count(self, kind: str, rows: Iterable[Keyed]) -> None:
        """Repairs of one kind, each with the row that tells of it."""
        marks = [Mark(kind, row.task, row.key) for row in rows]
        self.repairs[kind] += len(marks)
        self.marks += marks

    def add(self, other: Mended) -> None:
        self.repairs += other.repairs
        self.made += other.made
        self.opened += other.opened
        self.ended += other.ended
        self.unrepaired += other.unrepaired
        self.locked += other.locked
        self.marks += other.marks


def mend_apart(
    tenant: str, tasks: Collection[str], lost: Lost, unreadable: Collection[str] = frozenset()
) -> Move[Mended]:
    """Mend tasks together; where that fails, in halves, down to the task that cannot be mended.

    So one bad row never keeps its neighbours unrepaired (I12). Where a lock does not come in time, the tasks
    that nobody holds are mended and the others named. Tasks known to be `unreadable` come last, and however
    many of them fail, the others are mended. Raises `Busy` where lock after lock does not come or a statement
    runs out of time, and whatever says that the transaction itself is over.
    """
    done = Mended()
    strange = waits = 0
    groups = (
        [task for task in tasks if task not in unreadable],
        [task for task in tasks if task in unreadable],
    )
    queue = [sorted(group) for group in groups if group]
    while queue:
        names, attempt = queue.pop(0), Attempt()
        try:
            done.add((yield from attempt.run(mend(tenant, names, lost))))
        except (Unreachable, OutcomeUnknown):
            raise
        except Busy as busy:
            waits += 1
            if not attempt.own(busy) or cause_of(busy) != "lock" or waits > _MOST_WAITS:
                raise
            if waits == 1:
                queue[:0] = yield from _free_of(tenant, names, str(busy), done)
            else:
                queue[:0] = _halves(names, done, busy)
        except Exception as error:
            too_many = strange >= _MOST_UNREPAIRED and names[0] not in unreadable
            if too_many or not attempt.own(error):
                raise
            if len(names) == 1:
                strange += names[0] not in unreadable
            queue[:0] = _halves(names, done, error)
    return done


def _halves(names: list[str], done: Mended, error: Exception) -> list[list[str]]:
    """What to try next of tasks that could not be mended together; one alone is told of."""
    if len(names) > 1:
        return [names[: len(names) // 2], names[len(names) // 2 :]]
    done.unrepaired.append((names[0], f"{type(error).__name__}: {error}"))
    if isinstance(error, Busy):
        done.locked.append(names[0])
    return []


def _free_of(tenant: str, names: list[str], why: str, done: Mended) -> Move[list[list[str]]]:
    """Of these tasks those that nobody holds, or that are no more; the others are told of."""
    free = {row.task for row in (yield from ask(LOCK_FREE(tenant=tenant, tasks=names))) if row.free}
    held = [name for name in names if name not in free]
    done.unrepaired += [(name, f"Busy: {why}") for name in held]
    done.locked += held
    left = [name for name in names if name not in held]
    return [left] if left else []


def mend(tenant: str, tasks: Sequence[str], lost: Lost) -> Move[Mended]:
    """Mend tasks of one tenant: the very code of every repair, and of the drill that proves it.

    `tasks` are sorted. Raises what a repair raises; then nothing was changed.
    """
    locked = yield from ask(LOCK_TASKS(tenants=[tenant] * len(tasks), tasks=list(tasks)))
    found = (yield from look(tenant, tasks[0], tasks[-1])).only(frozenset(tasks))
    done = Mended(unrepaired=list(found.unreadable))
    yield from _close_runs(tenant, tasks, found, lost, done)
    if found.wrong or found.missing or found.retries:
        yield from _open(tenant, {task.task: task for task in locked}, found, done)
    if found.drifts:
        moved = yield from move_zones(tenant, [drift.task for drift in found.drifts], SWEEP, SWEEP)
        done.count("zone rules", moved.drifts)
        done.made += len(moved.rows)
    yield from _free(tenant, found, done)
    return done


def _close_runs(tenant: str, tasks: Sequence[str], found: Look, lost: Lost, done: Mended) -> Move[None]:
    if found.overdue:
        closed = yield from close_overdue(tenant, found.overdue, SWEEP)
        done.count("overdue", closed.counted)
        done.made += len(closed.retries)
    for incarnation, runs in lost.items():
        own = [run for run in runs if run.task in tasks]
        if own:
            closed = yield from lose(tenant, incarnation, own, SWEEP)
            done.count("lost", closed.counted)
            done.made += len(closed.retries)


def _open(tenant: str, locked: dict[str, LockedTask], found: Look, done: Mended) -> Move[None]:
    """Retire what must not be open, then open what must: a lane is left before it is entered."""
    retired: list[Wrong] = []
    if found.wrong or found.retries:
        retired = yield from _retire_and_retry(tenant, locked, found, done)
    holes = set(found.missing) | {row.task for row in retired if row.lane == SERIES}
    tasks = [task for name, task in sorted(locked.items()) if name in holes and task.enabled]
    rows = yield from open_series(tenant, tasks, SWEEP)
    given = {row.task: row.key for row in rows}
    for row in retired:
        # What was put in its place tells of it, where something was.
        key = given.get(row.task, row.key) if row.lane == SERIES else row.key
        done.count(row.why, [Mark(row.why, row.task, key)])
    missing = frozenset(found.missing)
    done.count("missing", [row for row in rows if row.task in missing])
    done.opened += sum(row.state == "pending" for row in rows)
    done.ended += sum(row.state == "ended" for row in rows)
    done.made += len(rows)


def _retire_and_retry(
    tenant: str, locked: dict[str, LockedTask], found: Look, done: Mended
) -> Move[list[Wrong]]:
    """Retire open rows that must not be, and mint retries: those never minted, and those of retired ones."""
    references = yield from ask(READ_REFERENCES(tenant=tenant, tasks=sorted(found.tasks())))
    moment = max(reference.moment for reference in references)
    wrong = yield from _still_wrong(tenant, locked, found.wrong)
    retried = yield from _retries_to_derive_anew(tenant, locked, wrong)
    retired = yield from _retire(tenant, wrong, instant_text(moment))
    subjects = yield from read_subjects(tenant, [locked[row.task] for row in retried])
    anew = [again(row, subjects[row.task]) for row in retried] + found.retries
    made = yield from adopt(anew, SWEEP, moment)
    done.count("retry", found.retries)
    done.made += len(made)
    return retired


def _still_wrong(tenant: str, locked: Mapping[str, LockedTask], wrong: Sequence[Wrong]) -> Move[list[Wrong]]:
    """The rows to retire. Where the task has no row to hold, its open rows are held and read again."""
    orphans = [row for row in wrong if row.task not in locked]
    if not orphans:
        return list(wrong)
    yield from ask(LOCK_STRAYS(tenant=tenant, keys=[row.key for row in orphans]))
    names = sorted(row.task for row in orphans)
    again = yield from ask(LOOK_OPEN(tenant=tenant, first=names[0], last=names[-1]))
    strays = {row.key for row in again if row.kind == "stray"}
    return [row for row in wrong if row.task in locked or row.key in strays]


def _retries_to_derive_anew(
    tenant: str, locked: Mapping[str, LockedTask], wrong: Sequence[Wrong]
) -> Move[list[PendingRow]]:
    """Open retries that are retired for their digest or their key: derived anew, as an edit does."""
    keys: set[UUID] = {
        row.key
        for row in wrong
        if row.why != "stray" and row.task in locked and row.lane.partition(":")[0] in ("retry", "rerun")
    }
    if not keys:
        return []
    tasks = sorted({row.task for row in wrong if row.key in keys})
    return [row for row in (yield from ask(READ_PENDING(tenant=tenant, tasks=tasks))) if row.key in keys]


def _retire(tenant: str, wrong: Sequence[Wrong], at: str) -> Move[list[Wrong]]:
    """Retire rows, each for its reason; those that were open still."""
    gone: set[UUID] = set()
    for why in sorted({row.why for row in wrong}):
        keys = [row.key for row in wrong if row.why == why]
        retired = yield from ask(
            RETIRE_ROWS(keys=keys, tenants=[tenant] * len(keys), reason=why, at=at, by=SWEEP)
        )
        gone.update(row.key for row in retired)
    false = [row for row in wrong if row.why == "misnamed"]
    if false:
        yield from ask(
            ADD_EVIDENCE(
                by=SWEEP,
                keys=[row.key for row in false],
                tenants=[tenant] * len(false),
                whats=["misnamed"] * len(false),
                details=[f"the facts beside it are those of {_other(row)}" for row in false],
            )
        )
    return [row for row in wrong if row.key in gone]


def _other(row: Wrong) -> str:
    return "no key at all" if row.derived is None else f"key {row.derived}"


def _free(tenant: str, found: Look, done: Mended) -> Move[None]:
    aside = [row for row in found.held if row.kind == "set aside"]
    if aside:
        answers = yield Batch([FREE_ASIDE(key=row.key, tenant=tenant) for row in aside])
        done.count("set aside", [row for row, freed in zip(aside, answers, strict=True) if freed])
    waiting = [row for row in found.held if row.kind == "waiting"]
    if waiting:
        rows = yield from ask(FREE_WAITER(tenant=tenant, keys=[row.key for row in waiting]))
        free = {row.key for row in rows}
        done.count("waiting", [row for row in waiting if row.key in free])
