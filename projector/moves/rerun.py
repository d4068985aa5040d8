"""Running closed rows once more: those that a person finds, or names by key, each slot once.

A rerun's rows are open from the beginning, each in a lane of its own, under the digest that is in force. Not
more than `at_once` of them run at a time (`projector.moves.turns`); retries of theirs come on their own, as
many as the task has for a first run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias
from uuid import UUID

from ledger.errors import BadInput, NotFound
from ledger.facts import instant_text
from ledger.moves.adopt import NewRow, Subject, adopt
from ledger.moves.archive import read_archived
from ledger.moves.close import Closing, close
from ledger.moves.finding import Sought
from ledger.moves.reads import PAGE_MOST, history, read_history_cursor
from ledger.moves.step import Batch, Move, ask, within_savepoint
from ledger.statements.acts import LOCK_TASKS, READ_REFERENCES, TELL_ACT
from ledger.statements.occurrences import CANCEL_ROWS, FREE_WAITERS
from ledger.statements.rerun import (
    ADD_RERUN,
    ADD_RERUN_ROWS,
    CANCEL_RERUN,
    READ_MEMBERS,
    READ_REPEATED,
    READ_RERUN,
    READ_RERUN_OPEN,
    Member,
)
from ledger.states import CLOSED, FAILED
from projector.moves.attempts import Slot, read_attempts_of, slots_of_rows
from projector.moves.open import read_subjects

# Rows of one rerun.
ROWS_MOST = PAGE_MOST

RerunState: TypeAlias = Literal["going", "done", "cancelled"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to run once more: the rows of `keys`, or else those that are sought, of one task or all."""

    request: str
    keys: Sequence[UUID] = ()
    task: str | None = None
    sought: Sought = field(default_factory=Sought)
    at_once: int = 1

    def said(self) -> dict[str, object]:
        """What was asked for, as the rerun keeps it."""
        given: dict[str, object] = {"keys": sorted(map(str, self.keys)), "task": self.task}
        return {name: value for name, value in given.items() if value} | self.sought.said()


@dataclass(frozen=True, slots=True)
class Reran:
    """A rerun, as it stands.

    `rows` are its own, oldest slot first. `left` counts the slots that were left out when it was made: `off`,
    their task is disabled or deleted; `open`, an attempt at them is open or runs; `succeeded`, a later
    attempt has. `made` is false where the request was made before.
    """

    request: str
    at_once: int
    state: RerunState
    rows: Sequence[Member]
    left: Mapping[str, int]
    made: bool


@dataclass(frozen=True, slots=True)
class RerunCancelled:
    """What a cancel did to a rerun: how many rows were open, and how many ran."""

    request: str
    did: Literal["cancelled", "unchanged"]
    open: int
    running: int


def rehearse_rerun(tenant: str, wish: Wish, by: str) -> Move[Reran]:
    """What a rerun would run: it is carried out and undone, so the answer cannot lie. Raises the same."""
    return (yield from within_savepoint(rerun(tenant, wish, by), keep=False))


def rerun(tenant: str, wish: Wish, by: str) -> Move[Reran]:
    """Open a rerun's rows, or find the rerun of this request (I15).

    Raises `NotFound` for a key or a task that is not there, `BadInput` for a row that is not closed, for too
    many rows, and for a request that was made for something else.
    """
    call = ADD_RERUN(
        tenant=tenant,
        request=wish.request,
        at_once=wish.at_once,
        wanted=json.dumps(wish.said()),
        by=by,
    )
    if not (yield from ask(call)):
        return (yield from _found(tenant, wish))
    slots = yield from _candidates(tenant, wish)
    names = sorted({slot.task for slot in slots})
    locked = yield from ask(LOCK_TASKS(tenants=[tenant] * len(names), tasks=names))
    enabled = [task for task in locked if task.enabled]
    subjects = yield from read_subjects(tenant, enabled)
    left = {"off": 0, "open": 0, "succeeded": 0}
    standing = [slot for slot in slots if slot.task in subjects]
    left["off"] = len(slots) - len(standing)
    attempts = yield from read_attempts_of(tenant, standing)
    wanted: list[tuple[Slot, int]] = []
    succeeded_too = bool(wish.keys) or "succeeded" in (wish.sought.states or ())
    for slot, tried in zip(standing, attempts, strict=True):
        if tried.states & {"pending", "running"}:
            left["open"] += 1
        elif "succeeded" in tried.states and not succeeded_too:
            left["succeeded"] += 1
        else:
            wanted.append((slot, tried.reruns + 1))
    if wanted:
        yield from _open(tenant, wish, wanted, subjects, by)
    return (yield from _answer(tenant, wish.request, left, made=True))


def cancel_rerun(tenant: str, request: str, by: str, reason: str | None = None) -> Move[RerunCancelled]:
    """Cancel a rerun as a whole: its rows and their retries that are open or run. Raises `NotFound`."""
    members = yield from ask(READ_MEMBERS(tenant=tenant, request=request))
    names = sorted({member.task for member in members})
    yield from ask(LOCK_TASKS(tenants=[tenant] * len(names), tasks=names))
    if not (yield from ask(READ_RERUN(tenant=tenant, request=request))):
        raise NotFound(f"cancelling a rerun: there is none of request {request!r}", tenant=tenant)
    rows = yield from ask(READ_RERUN_OPEN(tenant=tenant, request=request))
    if not rows:
        return RerunCancelled(request, "unchanged", 0, 0)
    opened = [row.key for row in rows if row.state == "pending"]
    runs = [row for row in rows if row.state == "running"]
    yield from ask(CANCEL_RERUN(tenant=tenant, request=request, by=by))
    yield from ask(CANCEL_ROWS(keys=opened, tenants=[tenant] * len(opened), by=by, reason=reason))
    yield from close(
        [Closing(tenant, row.task, row.key, "cancelled", "cancel", by=by, reason=reason) for row in runs]
    )
    # What was open may have been the next to have its turn among others of its task that wait.
    yield from ask(FREE_WAITERS(tenants=[tenant] * len(names), tasks=names))
    return RerunCancelled(request, "cancelled", len(opened), len(runs))


def _candidates(tenant: str, wish: Wish) -> Move[list[Slot]]:
    """The slots of the rows that are asked for, oldest first, each once."""
    if wish.keys:
        return (yield from _named(tenant, wish.keys))
    sought = wish.sought if wish.sought.states is not None else replace(wish.sought, states=FAILED)
    page = yield from history(tenant, wish.task, sought, read_history_cursor(None), ROWS_MOST)
    if page.cursor is not None:
        raise BadInput(
            f"running once more: more than {ROWS_MOST} rows are so; the newest {ROWS_MOST} go back to "
            f"{instant_text(page.rows[-1].due)}: narrow it, to the slots from there on, say",
            tenant=tenant,
            task=wish.task,
        )
    return slots_of_rows([(row.task, row.due, row.wake, row.key) for row in page.rows])


def _named(tenant: str, keys: Sequence[UUID]) -> Move[list[Slot]]:
    """The slots of rows that are asked for by their keys, in the archive too."""
    rows = yield from ask(READ_REPEATED(tenant=tenant, keys=list(keys)))
    found = [(row.task, row.due, row.wake, row.key) for row in rows]
    for row in rows:
        if row.state not in CLOSED:
            raise BadInput(
                f"running once more: the row is {row.state}; only what is closed can be",
                tenant=tenant,
                task=row.task,
                key=str(row.key),
            )
    for key in sorted(set(keys) - {row.key for row in rows}):
        there = yield from read_archived(tenant, key)
        if not there:
            raise NotFound("running once more: the ledger has no such key", tenant=tenant, key=str(key))
        found += [(row.task, row.due, row.wake, row.key) for row in there]
    return slots_of_rows(found)


def _open(
    tenant: str,
    wish: Wish,
    wanted: Sequence[tuple[Slot, int]],
    subjects: Mapping[str, Subject],
    by: str,
) -> Move[None]:
    (reference, *_) = yield from ask(READ_REFERENCES(tenant=tenant, tasks=[wanted[0][0].task]))
    rows = []
    for place, (slot, n) in enumerate(wanted):
        # Oldest first: claims go by the time at which a row may start.
        run_at = reference.moment - timedelta(microseconds=len(wanted) - place)
        rows.append(_row(subjects[slot.task], slot, n, run_at))
    yield from ask(
        ADD_RERUN_ROWS(
            tenant=tenant,
            request=wish.request,
            tasks=[row.task for row in rows],
            lanes=[row.lane for row in rows],
            dues=[row.due for row in rows],
            repeats=[slot.key for slot, _ in wanted],
        )
    )
    yield from adopt(rows, f"rerun: {by}", reference.moment)
    yield Batch([TELL_ACT()])


def _row(subject: Subject, slot: Slot, n: int, run_at: datetime) -> NewRow:
    """The row of attempt n. It was asked for: the attempts up to it are outside of the task's `attempts`."""
    row = subject.row(f"rerun:{n}:{slot.wake}", slot.due, run_at=run_at)
    return replace(row, predecessor=slot.key, history=[{"unhanded": n, "in_a_row": 0, "asked": True}])


def _found(tenant: str, wish: Wish) -> Move[Reran]:
    (known,) = yield from ask(READ_RERUN(tenant=tenant, request=wish.request))
    if (known.at_once, known.wanted) != (wish.at_once, wish.said()):
        raise BadInput(
            f"running once more: request {wish.request!r} was made before, for {json.dumps(known.wanted)}, "
            f"{known.at_once} at once; ask for that, or take another id",
            tenant=tenant,
            task=wish.task,
        )
    return (yield from _answer(tenant, wish.request, {}, made=False))


def _answer(tenant: str, request: str, left: Mapping[str, int], *, made: bool) -> Move[Reran]:
    (known,) = yield from ask(READ_RERUN(tenant=tenant, request=request))
    members = yield from ask(READ_MEMBERS(tenant=tenant, request=request))
    state: RerunState = "going" if any(m.state in ("pending", "running") for m in members) else "done"
    if known.cancelled is not None:
        state = "cancelled"
    counts = {reason: n for reason, n in left.items() if n}
    return Reran(request, known.at_once, state, members, counts, made)
