"""What becomes of one due row: a pure decision, from what was read under the locks.

Nothing here touches the database. A plan collects the decisions of a whole claim as the writes to come,
so that five hundred rows cost the same handful of statements as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from uuid import UUID

from ledger.moves.adopt import SERIES, NewRow, Subject
from ledger.moves.retry import backfill_of
from ledger.statements.occurrences import DueRow
from projector.moves.governor import first_slot
from projector.moves.project import Anchor, gate, grace_of, successor, too_late
from projector.moves.trail import MICROSECOND, Hint, Passing
from projector.slots import Slots, schedule_of


# Not frozen, like all that is made for each row of a claim: a frozen one takes three times as long.
@dataclass(slots=True)
class Standing:
    """What was read, after the locks, about the task of a row."""

    blocker: UUID | None
    # Slots failed in a row up to the one before, whose outcome may still be open.
    failures: int
    last_start: datetime | None
    hints: Sequence[Hint] = ()
    # From when until when the row waited for runs in its way, where its lateness counts.
    waited: tuple[datetime, datetime] | None = None
    # Since when its tenant has been held at its cap, where it was.
    held: datetime | None = None


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


@dataclass(frozen=True, slots=True)
class Replacement:
    """A run that begins in the place of whatever runs of its task."""

    tenant: str
    task: str
    key: UUID


@dataclass(slots=True)
class Plan:
    """The writes of a claim, in the order in which they must be sent.

    Whatever is open leaves its lane before its successor enters it.
    """

    retire: list[DueRow] = field(default_factory=list)
    skip: list[Skip] = field(default_factory=list)
    wait: list[tuple[DueRow, UUID]] = field(default_factory=list)
    replace: list[Replacement] = field(default_factory=list)
    fresh: list[NewRow] = field(default_factory=list)
    skip_fresh: list[Skip] = field(default_factory=list)
    start: list[Started] = field(default_factory=list)
    start_failures: list[int] = field(default_factory=list)
    # Of the runs that start, those of tasks that have a one-shot.
    consume: list[Started] = field(default_factory=list)
    successors: list[NewRow] = field(default_factory=list)
    # Tasks whose turn went by without a run: the next that waits has its own.
    free: list[tuple[str, str]] = field(default_factory=list)
    left: int = 0
    aside: list[tuple[DueRow, str]] = field(default_factory=list)
    busy: set[tuple[str, str]] = field(default_factory=set)


@dataclass(slots=True)
class _Candidate:
    """The row that is decided on: the due one, or the slot that takes its place."""

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
        # Where runs may overlap, those of a backfill have a bound of their own: `in_turn` holds them to it.
        if standing.blocker is None or (subject.definition.overlap == "allow" and backfill_of(row.wake)):
            _start(plan, row, subject, row, row.failures)
        else:
            plan.wait.append((row, standing.blocker))
    else:
        _decide_series(plan, row, subject, standing)


def _decide_series(plan: Plan, row: DueRow, subject: Subject, standing: Standing) -> None:
    definition, blocker = subject.definition, standing.blocker
    candidate = _itself(row) if definition.misfire.catch_up == "none" else _caught_up(row, subject)
    grace = grace_of(definition)
    until = gate(definition, standing.last_start, standing.failures)
    skip = passing = None
    if grace is not None and row.moment - candidate.run_at - _waited(standing, candidate, row.moment) > grace:
        skip, passing = "misfire", too_late(subject, row.moment)
    elif blocker is not None and definition.overlap == "skip":
        skip = "overlap"
    elif blocker is not None and definition.overlap == "queue":
        # Which slot has its turn is decided when it comes.
        plan.wait.append((row, blocker))
        return
    elif until is not None and candidate.due < until:
        skip, passing = "backoff", Passing(until, "backoff")
    anchor = Anchor(candidate.due, row.moment, candidate.key)
    hints = standing.hints
    if hints and skip is None and candidate.fresh is None and row.won == "oneshot":
        # It is consumed by this start, even where a bound has put it before its instant.
        hints = [hint for hint in hints if hint.kind != "oneshot"]
    follows = successor(subject, anchor, hints, passing=passing)
    # From here on nothing can fail.
    early = candidate.run_at > row.moment
    if definition.overlap == "queue" and blocker is None and (early or skip is not None):
        plan.free.append((row.tenant, row.task))
    if candidate.fresh is not None:
        plan.skip.append(Skip(row.key, row.tenant, "misfire", None, standing.failures))
        plan.fresh.append(candidate.fresh)
        if early:
            return
    if skip is not None:
        (plan.skip if candidate.fresh is None else plan.skip_fresh).append(
            Skip(candidate.key, row.tenant, skip, blocker if skip == "overlap" else None, standing.failures)
        )
    else:
        if blocker is not None and definition.overlap == "replace":
            plan.replace.append(Replacement(row.tenant, row.task, candidate.key))
        _start(plan, row, subject, candidate, standing.failures)
        if any(hint.kind == "oneshot" for hint in standing.hints):
            plan.consume.append(plan.start[-1])
    plan.successors.append(follows)


def _waited(standing: Standing, candidate: _Candidate, moment: datetime) -> timedelta:
    """How long a slot was due while its row waited for runs in its way, or its tenant was held."""
    waited, since = timedelta(0), candidate.run_at
    if standing.waited is not None:
        queued, freed = standing.waited
        waited, since = max(freed - max(queued, since), waited), max(freed, since)
    if standing.held is not None:
        waited += max(moment - max(standing.held, since), timedelta(0))
    return waited


def _caught_up(row: DueRow, subject: Subject) -> _Candidate:
    """The row itself, or the slot in its place where more have come since than are caught up with: under
    `latest` the newest, under `all` the oldest of the newest `limit`.

    The row made for it covers the slots between, and keeps them as passed over (I10). After a row that a hint
    or a bound put off the rule the slots are the rule's own.
    """
    slots = schedule_of(subject.definition.schedule)
    # The successor asks for this slot again and finds it remembered; only the late need the walk backwards.
    following = first_slot(slots, row.due)
    if following is None or following > row.moment:
        return _itself(row)
    misfire = subject.definition.misfire
    limit = 1 if misfire.catch_up == "latest" else misfire.limit
    for _ in range(limit - 1):
        following = first_slot(slots, following)
        if following is None or following > row.moment:
            return _itself(row)
    oldest = _oldest(slots, row.moment, limit)
    if oldest <= row.due:
        raise AssertionError(f"next and previous disagree: {limit} slots follow {row.due} until {row.moment}")
    anchor = Anchor(row.due, row.moment, row.key)
    fresh = successor(subject, anchor, passing=Passing(oldest, "misfire"))
    return _Candidate(fresh.key, fresh.wake, fresh.due, fresh.run_at, fresh)


@lru_cache(maxsize=1024)
def _oldest(slots: Slots, moment: datetime, limit: int) -> datetime:
    """The oldest of the newest `limit` slots that have come; tasks of one schedule ask for it together."""
    oldest = moment + MICROSECOND
    for _ in range(limit):
        before = slots.previous(oldest)
        if before is None:
            raise AssertionError(f"next and previous disagree: fewer than {limit} slots until {moment}")
        oldest = before
    return oldest


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
