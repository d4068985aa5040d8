"""The successor: which row follows, a pure function of the reference and the definition.

The reference is recorded, never "now": `after` is the later of the frontier and the newest act's
`resume_after`; `base` is the start of the row at the frontier, or its closing if it never started, or the
act's own time. Both stand on the new row, so that anyone derives the same successor again (I10, I16).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Literal
from uuid import UUID

from ledger.authored.models import Definition
from ledger.facts import instant_text
from ledger.keys import spread_seconds
from ledger.moves.adopt import NEVER, NewRow, Origin, Subject
from ledger.statements.acts import Reference
from projector.slots import Slots, schedule_of


@dataclass(frozen=True, slots=True)
class Anchor:
    """From where a series goes on: the instants after which, and the row before."""

    after: datetime
    base: datetime
    predecessor: UUID | None


@dataclass(frozen=True, slots=True)
class Passing:
    """Slots that are passed over: all before `until`, for a reason that the ledger keeps."""

    until: datetime
    reason: Literal["backoff", "misfire"]


def anchor_of(reference: Reference) -> Anchor:
    """The anchor that acts and occurrences give; the newest act is there, since the task is."""
    if reference.acted is None or reference.resume_after is None:
        raise ValueError(f"task {reference.task!r} has no act that resumes its series")
    after = reference.resume_after
    if reference.frontier is not None:
        after = max(after, reference.frontier)
    return Anchor(after, reference.base or reference.acted, reference.frontier_key)


def passing_of(reference: Reference, definition: Definition) -> Passing | None:
    """What the row at the frontier made its successor pass over: a slot that backed off is followed by the
    first one not before the gate, unless an act came later.
    """
    frontier, resume_after = reference.frontier, reference.resume_after
    if reference.backed_off is None or frontier is None or resume_after is None or frontier <= resume_after:
        return None
    until = gate(definition, reference.last_start, reference.backed_off)
    return None if until is None else Passing(until, "backoff")


def gate(definition: Definition, last_start: datetime | None, failures: int) -> datetime | None:
    """No slot before this instant starts: the interval from the last start, doubled with each failed slot in
    a row, five times at most. None where failures gate nothing: no single interval, the author said
    otherwise, or the series never started.
    """
    every = definition.schedule.every_s
    if not failures or last_start is None or every is None or definition.failure_backoff != "double":
        return None
    return last_start + timedelta(seconds=every * 2 ** min(failures, 5))


@lru_cache(maxsize=65_536)
def first_slot(slots: Slots, after: datetime) -> datetime | None:
    """The first slot after an instant; ten thousand tasks of one schedule at nine cost one evaluation."""
    return slots.next(after)


def successor(task: Subject, anchor: Anchor, *, passing: Passing | None = None) -> NewRow:
    """The row that follows: the first slot after the anchor, or the row that says the series has ended.

    With `passing`, slots before its `until` are passed over; they are kept in the row, which still covers
    all from `anchor.after` on, and its trail says why it is not the plain baseline (I10).
    """
    slots = schedule_of(task.definition.schedule)
    after = anchor.after
    if passing is not None:
        after = max(after, passing.until - timedelta(microseconds=1))
    due = first_slot(slots, after)
    if due is not None and due <= anchor.after:
        raise ValueError(f"the slot {due} of task {task.task!r} is not after {anchor.after}")
    origin = Origin(
        anchor.after,
        anchor.base,
        anchor.predecessor,
        None if due is None else source_of(task.definition),
        None if passing is None else {passing.reason: instant_text(passing.until)},
        None if passing is None else passed_over(slots, anchor.after, due or NEVER, passing.reason),
    )
    if due is None:
        return task.row("end", NEVER, "ended", origin=origin)
    return task.row("schedule", due, run_at=due + spread(task), origin=origin)


def passed_over(slots: Slots, after: datetime, due: datetime, reason: str) -> list[dict[str, object]] | None:
    """What the column `passed` keeps of the rule's slots between two instants, both exclusive."""
    between = slots.count_between(after, due)
    if between is None:
        return None
    entry: dict[str, object] = {
        "first": instant_text(between.first),
        "last": instant_text(between.last),
        "count": between.count,
        "reason": reason,
    }
    return [entry | {"more": True}] if between.more else [entry]


def spread(task: Subject) -> timedelta:
    """By how much the task's runs wake after their slots; `due` never moves."""
    seconds = task.definition.schedule.spread_s
    return timedelta(seconds=spread_seconds(task.tenant, task.task, seconds) if seconds else 0)


def source_of(definition: Definition) -> str:
    """Which rule a baseline slot comes from, in the words of the ledger's column."""
    schedule = definition.schedule
    if schedule.cron is not None:
        return "baseline-cron"
    if schedule.every_s is not None:
        return "baseline-interval"
    if schedule.at is not None:
        return "baseline-at"
    return "baseline-rrule" if schedule.rrule is not None else "baseline-union"
