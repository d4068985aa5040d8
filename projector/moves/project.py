"""The successor: which row follows, a pure function of the reference and the definition.

The reference is recorded, never "now": `after` is the later of the frontier and the newest act's
`resume_after`; `base` is the start of the row at the frontier, or its closing if it never started, or the
time of the act that switched the series on. Both stand on the new row, so that anyone derives the same
successor again (I10, I16).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from ledger.authored.models import Definition
from ledger.keys import spread_seconds
from ledger.moves.adopt import NEVER, NewRow, Origin, Subject
from ledger.statements.acts import Reference, Shut
from projector.moves.governor import govern
from projector.moves.trail import MICROSECOND, Hint, Passing


# Not frozen, like all that is made for each row of a claim.
@dataclass(slots=True)
class Anchor:
    """From where a series goes on: the instants after which, and the row before."""

    after: datetime
    base: datetime
    predecessor: UUID | None


def anchor_of(reference: Reference) -> Anchor:
    """The anchor that acts and occurrences give; the newest act is there, since the task is."""
    if reference.base is None or reference.resume_after is None:
        raise ValueError(f"task {reference.task!r} has no act that resumes its series")
    after = reference.resume_after
    if reference.frontier is not None:
        after = max(after, reference.frontier)
    return Anchor(after, reference.base, reference.frontier_key)


def passing_of(reference: Reference, task: Subject) -> Passing | None:
    """What the row at the frontier made its successor pass over, unless an act came later: a slot that backed
    off is followed by the first one not before the gate, one that was too late by the first that was not,
    one that was shut out by the first after that.
    """
    frontier, resume_after = reference.frontier, reference.resume_after
    if frontier is None or resume_after is None or frontier <= resume_after:
        return None
    if reference.misfired and reference.base is not None:
        return too_late(task, reference.base)
    if reference.shut is not None and reference.base is not None:
        return shut_until(reference.base, reference.shut)
    if reference.backed_off is None:
        return None
    until = gate(task.definition, reference.last_start, reference.backed_off)
    return None if until is None else Passing(until, "backoff")


def shut_until(moment: datetime, why: Shut) -> Passing:
    """What the series of a tenant passes over that was shut out at a moment: all that had come by then."""
    return Passing(moment + MICROSECOND, why)


def too_late(task: Subject, moment: datetime) -> Passing | None:
    """Slots that nobody may run any more at a moment; under `latest` the newest is asked for anyway."""
    grace = grace_of(task.definition)
    if task.definition.misfire.catch_up == "latest" or grace is None:
        return None
    return Passing(moment - grace - spread(task), "grace")


def grace_of(definition: Definition) -> timedelta | None:
    """How late a slot may start, counted from when it may; None where there is no limit."""
    misfire = definition.misfire
    if misfire.grace_s is None:
        return timedelta(seconds=60) if misfire.catch_up == "none" else None
    return timedelta(seconds=misfire.grace_s)


def gate(definition: Definition, last_start: datetime | None, failures: int) -> datetime | None:
    """No slot before this instant starts: the interval from the last start, doubled with each failed slot in
    a row, five times at most. None where failures gate nothing: no single interval, the author said
    otherwise, or the series never started.
    """
    every = definition.schedule.every_s
    if not failures or last_start is None or every is None or definition.failure_backoff != "double":
        return None
    return last_start + timedelta(seconds=every * 2 ** min(failures, 5))


def successor(
    task: Subject, anchor: Anchor, hints: Sequence[Hint] = (), *, passing: Passing | None = None
) -> NewRow:
    """The row that follows: what the Governor says after the anchor, or that the series has ended.

    With `passing`, slots before its `until` are passed over. Whatever is passed over is kept in the row,
    which covers all from `anchor.after` on; its trail says why it is not the plain baseline (I10).
    """
    said = govern(anchor.after, anchor.base, task.definition, hints, passing=passing)
    origin = Origin(anchor.after, anchor.base, anchor.predecessor, said.source, said.trail, said.passed)
    if said.due is None:
        return task.row("end", NEVER, "ended", origin=origin)
    return task.row(said.wake, said.due, run_at=said.due + spread(task), origin=origin)


def spread(task: Subject) -> timedelta:
    """By how much the task's runs wake after their slots; `due` never moves."""
    seconds = task.definition.schedule.spread_s
    return timedelta(seconds=spread_seconds(task.tenant, task.task, seconds) if seconds else 0)
