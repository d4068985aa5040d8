"""Questions to the ledger: each reads, locks nothing and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar, cast
from uuid import UUID

from ledger.errors import BadInput, NotFound
from ledger.facts import EPOCH, Facts, instant_text, read_identifier, read_instant, shown
from ledger.keys import Derived, derive
from ledger.moves.adopt import NEVER
from ledger.moves.archive import read_archived, read_archived_history, read_archived_relatives
from ledger.moves.finding import DISPOSED, Sought
from ledger.moves.step import Move, ask
from ledger.statements.hints import LIST_HINTS, HintRow
from ledger.statements.reads import (
    LIST_AGENT_TASKS,
    LIST_TASKS,
    READ_ACTS,
    READ_DUE,
    READ_EVIDENCE,
    READ_HISTORY,
    READ_OCCURRENCE,
    READ_RELATIVES,
    READ_TASK,
    READ_TASK_HISTORY,
    READ_TASK_OPEN,
    ActRow,
    EvidenceRow,
    Occurrence,
    Relative,
    TaskRow,
    WholeRow,
)

R = TypeVar("R")

# Rows of one answer at most.
PAGE_MOST = 1_000
PAGE: Final = 100
ACTS_SHOWN = 100
_LAST = (NEVER, UUID(int=2**128 - 1))


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """One page of a list. `cursor` asks for the page after it; None where there is none."""

    rows: Sequence[R]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A task as lists show it. `authored` is the object in force, without defaults, as it was digested.

    `next` is the slot of the open row of its series; None where the task is off, or where `ended` says that
    no slot is left. `running` is the key of a run of it.
    """

    task: str
    enabled: bool
    digest: bytes
    authored: dict[str, object]
    next: datetime | None
    next_key: UUID | None
    ended: bool
    running: UUID | None


@dataclass(frozen=True, slots=True)
class Shown:
    """A task, its newest acts (newest first, 100 at most), its open rows and the hints in force."""

    line: TaskLine
    acts: Sequence[ActRow]
    open: Sequence[Occurrence]
    hints: Sequence[HintRow]


@dataclass(frozen=True, slots=True)
class Pull:
    """A row of delivery `pull` that may start now; `start` its key, do the work, `finish` it."""

    key: UUID
    task: str
    wake: str
    due: datetime
    run_at: datetime
    entrypoint: str


@dataclass(frozen=True, slots=True)
class Explained:
    """All that is known of one occurrence.

    `derived` is its key, fingerprint and preimage, derived anew from the facts that stand in the row;
    `named_right` says that they are what the row is named by (I1). `before` is the row that it was derived
    from, `after` those derived from it, `slot` the other rows of its slot: its retries, or what it retries.
    `hints` are those in force for its task now; what counted for this row is in its trail.
    """

    row: WholeRow
    facts: Facts
    derived: Derived
    named_right: bool
    authored: dict[str, object] | None
    before: Relative | None
    after: Sequence[Relative]
    slot: Sequence[Relative]
    evidence: Sequence[EvidenceRow]
    hints: Sequence[HintRow]


def list_tasks(tenant: str, sought: Sought, beyond: str, n: int) -> Move[Page[TaskLine]]:
    """The tasks of a tenant by name, a page of `n`; `beyond` is the cursor of the page before, or ''."""
    wanted = {"tenant": tenant, **sought.params(), "beyond": beyond, "n": n + 1}
    if sought.agent is None:
        rows = yield from ask(LIST_TASKS(**wanted))
    else:
        rows = yield from ask(LIST_AGENT_TASKS(agent=sought.agent, **wanted))
    return Page([_line(row) for row in rows[:n]], rows[n - 1].task if len(rows) > n else None)


def show(tenant: str, task: str) -> Move[Shown]:
    """A task with its acts and open rows. Raises `NotFound`."""
    rows = yield from ask(READ_TASK(tenant=tenant, task=task))
    if not rows:
        raise NotFound("showing a task: the tenant has no such task", tenant=tenant, task=task)
    acts = yield from ask(READ_ACTS(tenant=tenant, task=task, n=ACTS_SHOWN))
    open_now = yield from ask(READ_TASK_OPEN(tenant=tenant, task=task, n=PAGE_MOST))
    hints = yield from ask(LIST_HINTS(tenant=tenant, task=task))
    return Shown(_line(rows[0]), acts, open_now, hints)


def history(
    tenant: str, task: str | None, sought: Sought, cursor: tuple[datetime, UUID], n: int
) -> Move[Page[Occurrence]]:
    """Rows that run or are closed, the archive's too, latest slot first: a page of `n` from behind the
    cursor's row.

    A task that was deleted has its history still. Raises `NotFound` for one that never was.
    """
    wanted: dict[str, object] = {
        "tenant": tenant,
        **sought.params(),
        "states": sorted(DISPOSED if sought.states is None else sought.states),
        "agent": sought.agent,
        "due": cursor[0],
        "key": cursor[1],
        "n": n + 1,
    }
    if task is not None:
        wanted["task"] = task
    hot = yield from ask((READ_HISTORY if task is None else READ_TASK_HISTORY)(**wanted))
    # Of the archive only what comes before the last of these.
    low = hot[n].due if len(hot) > n else sought.since or EPOCH
    there = yield from read_archived_history(wanted, low, min(cursor[0], sought.until or NEVER), n + 1)
    found = {row.key: row for row in (*there, *hot)}
    rows = sorted(found.values(), key=lambda row: (row.due, row.key), reverse=True)[: n + 1]
    if not rows and task is not None:
        yield from check_known(tenant, task)
    last = rows[n - 1] if len(rows) > n else None
    return Page(rows[:n], f"{instant_text(last.due)}/{last.key}" if last else None)


def due(tenant: str, n: int) -> Move[list[Pull]]:
    """The rows that the platform's own runtime may start now, oldest first, `n` at most."""
    rows = yield from ask(READ_DUE(tenant=tenant, n=n))
    return [
        Pull(row.key, row.task, row.wake, row.due, row.run_at, str(_object(row.canonical)["entrypoint"]))
        for row in rows
    ]


def explain(tenant: str, key: UUID) -> Move[Explained]:
    """All that the ledger knows of one occurrence. Raises `NotFound`."""
    rows = yield from ask(READ_OCCURRENCE(tenant=tenant, key=key))
    rows = rows or (yield from read_archived(tenant, key))
    if not rows:
        raise NotFound("explaining an occurrence: the ledger has no such key", tenant=tenant, key=str(key))
    (row,) = rows
    hot = yield from ask(
        READ_RELATIVES(tenant=tenant, task=row.task, key=key, predecessor=row.predecessor, due=row.due)
    )
    # A row that left between the two looks is in both answers.
    there = {one.key: one for one in (*(yield from read_archived_relatives(row)), *hot)}
    around = sorted(there.values(), key=lambda one: (one.due, one.run_at, one.lane))
    evidence = yield from ask(READ_EVIDENCE(tenant=tenant, key=key))
    hints = yield from ask(LIST_HINTS(tenant=tenant, task=row.task))
    facts = Facts(
        row.tenant,
        row.delivery,
        row.wake,
        row.agent,
        row.destination,
        row.task,
        row.digest.hex(),
        instant_text(row.due),
    )
    derived = derive(facts)
    return Explained(
        row=row,
        facts=facts,
        derived=derived,
        named_right=derived.key == row.key and derived.fingerprint == row.fingerprint,
        authored=None if row.canonical is None else _object(row.canonical),
        before=next((one for one in around if one.key == row.predecessor), None),
        after=[one for one in around if one.predecessor == key],
        slot=[one for one in around if one.due == row.due],
        evidence=evidence,
        hints=hints,
    )


def check_known(tenant: str, task: str) -> Move[None]:
    """Tell an empty answer from a wrong name: raises `NotFound` for a task that was never defined."""
    if not (yield from ask(READ_ACTS(tenant=tenant, task=task, n=1))):
        raise NotFound("the tenant has and had no such task", tenant=tenant, task=task)


def read_page_size(n: object) -> int:
    """How many rows a page may have. Raises `BadInput`."""
    if isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= PAGE_MOST:
        return n
    raise BadInput(f"a page has 1 to {PAGE_MOST} rows, not {shown(n)}")


def read_task_cursor(cursor: str | None) -> str:
    """Where a page of tasks begins: the last name of the page before. Raises `FactRefused`."""
    return "" if cursor is None else read_identifier(cursor, "cursor")


def read_history_cursor(cursor: str | None) -> tuple[datetime, UUID]:
    """Where a page of history begins. Raises `BadInput` for a text that no page gave."""
    if cursor is None:
        return _LAST
    at, _, key = cursor.partition("/")
    try:
        return read_instant(at, "cursor"), UUID(key)
    except (BadInput, ValueError) as error:
        raise BadInput(
            f"cursor: {shown(cursor)} is none; hand in the `cursor` of the page before as it was"
        ) from error


def _line(row: TaskRow) -> TaskLine:
    return TaskLine(
        row.task,
        row.enabled,
        row.digest,
        _object(row.canonical),
        row.next,
        row.next_key,
        row.ended and row.next is None,
        row.running,
    )


def _object(canonical: str) -> dict[str, object]:
    return cast("dict[str, object]", json.loads(canonical))
