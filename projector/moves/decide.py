"""What becomes of one due row: a pure decision, from what was read under the locks.

Nothing here touches the database. A plan collects the decisions of a whole claim as the writes to come,
so that five hundred rows cost the same handful of statements as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from ledger.moves.adopt import SERIES, NewRow, Subject
from ledger.statements.occurrences import DueRow
from projector.moves.governor import first_slot
from projector.moves.project import Anchor, gate, grace_of, successor, too_late
from projector.moves.trail import MICROSECOND, Hint, Passing
from projector.slots import schedule_of


@dataclass(frozen=True, slots=True)
class Standing:
    """What was read, after the locks, about the task of a row."""

    blocker: UUID | None
    # Slots failed in a row up to the one before, whose outcome may still be open.
    failures: int
    last_start: datetime | None
    hints: Sequence[Hint] = ()


# Not frozen, like the rows of a claim.
@dataclass(slots=True)
class Started:
    """A run that begins with this transaction: what is handed over once it has committed."""

    key: UUID
    subject: Subject
    lane: str
    wake: str
    due: datetime
    run_at: datetime
    started: datetime
    deadline: datetime


@dataclass(frozen=True, slots=True)
class Skip:
    key: UUID
    tenant: str
    reason: str
    blocker: UUID | None
    failures: int


@dataclass(slots=True)
class Plan:
    """The writes of a claim, in the order in which they must be sent.

    Whatever is open leaves its lane before its successor enters it.
    """

    retire: list[DueRow] = field(default_factory=list)
    skip: list[Skip] = field(default_factory=list)
    wait: list[tuple[DueRow, UUID]] = field(default_factory=list)
    fresh: list[NewRow] = field(default_factory=list)
    skip_fresh: list[Skip] = field(default_factory=list)
    start: list[Started] = field(default_factory=list)
    start_failures: list[int] = field(default_factory=list)
    # Of the runs that start, those of tasks that have a one-shot.
    consume: list[Started] = field(default_factory=list)
    successors: list[NewRow] = field(default_factory=list)
    left: int = 0
    aside: list[tuple[DueRow, str]] = field(default_factory=list)
    busy: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The row that is decided on: the due one, or the newest slot that takes its place."""

    key: UUID
    wake: str
    due: datetime
    run_at: datetime
    fresh: NewRow | None


def decide(plan: Plan, row: DueRow, subject: Subject, standing: Standing) -> None:
    """Add one row's decision to the plan; on an error the plan is as it was."""
    if (row.tenant, row.task) in plan.busy:
        # Of one task's rows in a batch one starts; the next claim sees it running.
        plan.left += 1
    elif row.lane != SERIES:
        if standing.blocker is None:
            _start(plan, row, subject, row, row.failures)
        else:
            plan.wait.append((row, standing.blocker))
    else:
        _decide_series(plan, row, subject, standing)


def _decide_series(plan: Plan, row: DueRow, subject: Subject, standing: Standing) -> None:
    latest = subject.definition.misfire.catch_up == "latest"
    candidate = _newest(row, subject) if latest else _itself(row)
    grace = grace_of(subject.definition)
    until = gate(subject.definition, standing.last_start, standing.failures)
    skip = passing = None
    if grace is not None and row.moment > candidate.run_at + grace:
        skip, passing = "misfire", too_late(subject, row.moment)
    elif standing.blocker is not None:
        skip = "overlap"
    elif until is not None and candidate.due < until:
        skip, passing = "backoff", Passing(until, "backoff")
    anchor = Anchor(candidate.due, row.moment, candidate.key)
    hints = standing.hints
    if hints and skip is None and candidate.fresh is None and row.won == "oneshot":
        # It is consumed by this start, even where a bound has put it before its instant.
        hints = [hint for hint in hints if hint.kind != "oneshot"]
    follows = successor(subject, anchor, hints, passing=passing)
    # From here on nothing can fail.
    if candidate.fresh is not None:
        plan.skip.append(Skip(row.key, row.tenant, "misfire", None, standing.failures))
        plan.fresh.append(candidate.fresh)
        if candidate.run_at > row.moment:
            return
    if skip is not None:
        blocker = standing.blocker if skip == "overlap" else None
        (plan.skip if candidate.fresh is None else plan.skip_fresh).append(
            Skip(candidate.key, row.tenant, skip, blocker, standing.failures)
        )
    else:
        _start(plan, row, subject, candidate, standing.failures)
        if any(hint.kind == "oneshot" for hint in standing.hints):
            plan.consume.append(plan.start[-1])
    plan.successors.append(follows)


def _newest(row: DueRow, subject: Subject) -> _Candidate:
    """The row itself, or the newest slot that has come since: of many missed slots the last one runs.

    The row made for it covers the slots between, and keeps them as passed over (I10). After a row that a hint
    or a bound put off the rule the slots are the rule's own.
    """
    slots = schedule_of(subject.definition.schedule)
    # The successor asks for this slot again and finds it remembered; only the late need the walk backwards.
    following = first_slot(slots, row.due)
    if following is None or following > row.moment:
        return _itself(row)
    newest = slots.previous(row.moment + MICROSECOND)
    if newest is None or newest <= row.due:
        raise AssertionError(
            f"next and previous disagree: {following} follows {row.due}, {newest} was the last"
        )
    anchor = Anchor(row.due, row.moment, row.key)
    fresh = successor(subject, anchor, passing=Passing(newest, "misfire"))
    return _Candidate(fresh.key, fresh.wake, fresh.due, fresh.run_at, fresh)


def _itself(row: DueRow) -> _Candidate:
    return _Candidate(row.key, row.wake, row.due, row.run_at, None)


def backs_off(subject: Subject) -> bool:
    """Whether failures gate the task's slots: a single interval, and the author did not say otherwise."""
    return subject.definition.schedule.every_s is not None and subject.definition.failure_backoff == "double"


def _start(plan: Plan, row: DueRow, subject: Subject, what: DueRow | _Candidate, failures: int) -> None:
    deadline = row.moment + timedelta(seconds=subject.definition.timeout_s)
    plan.start.append(
        Started(what.key, subject, row.lane, what.wake, what.due, what.run_at, row.moment, deadline)
    )
    plan.start_failures.append(failures)
    plan.busy.add((row.tenant, row.task))
