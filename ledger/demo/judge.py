"""The judge: which slots should have fired, by the plain rules, and what ledger and handlers say of each.

It derives slots from acts and rules alone; nothing that it judges is asked when a slot should be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from ledger.demo.evidence import PULLED, Line
from ledger.demo.tasks import Every, Rule

# One slot in so many may be passed over because the machine was held up; more show nothing.
TOLERATED = 10
SCHEDULE, SWEEP = "schedule", "sweep"
_FAILED = {"failed", "timed_out", "lost"}


class Row(NamedTuple):
    """What the ledger says of a run, or of a slot that it did not run."""

    tenant: str
    task: str
    key: UUID
    wake: str
    state: str
    reason: str | None
    slot: datetime
    started: datetime | None
    closed: datetime | None
    made_by: str
    # The row that this one was derived from.
    before: UUID | None = None
    # Slots that this row does not stand for: first, last, reason.
    passed: Sequence[tuple[datetime, datetime, str]] = ()

    @property
    def mended(self) -> bool:
        """Whether nothing of the series was open until a sweep came."""
        return (self.made_by, self.wake) == (SWEEP, SCHEDULE)


@dataclass(frozen=True, slots=True)
class Series:
    """A task's rule and its rows. Slots count from `after`, the instant from which its act says it goes on.

    `requests` are runs outside the series, each asked for once: the instant of each, by its wake. `deleted`
    is the row that was taken away on purpose.
    """

    tenant: str
    task: str
    rule: Rule
    after: datetime
    rows: Sequence[Row]
    requests: Mapping[str, datetime] = field(default_factory=dict)
    deleted: UUID | None = None

    def named(self, slot: datetime) -> str:
        return f"{self.tenant}/{self.task} {slot:%H:%M:%S}"


@dataclass(slots=True)
class Judgement:
    """`faults` are one line each, and empty where every slot fired exactly once."""

    slots: int = 0
    requests: int = 0
    first_try: int = 0
    retried: int = 0
    passed: list[str] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def judge(every: Sequence[Series], lines: Sequence[Line], until: datetime) -> Judgement:
    """Judge all slots up to `until`, both ways: what should have run, and what ran."""
    court = _Court(lines, until)
    for one in every:
        court.hear(one)
    known = {row.key for one in every for row in one.rows}
    for line in lines:
        if line.key not in known:
            court.found.faults.append(
                f"extra: a handler ran {line.tenant}/{line.task} {line.slot:%H:%M:%S} under {line.key}, "
                "which the ledger does not know"
            )
    if len(court.found.passed) * TOLERATED > court.found.slots:
        court.found.faults.append(
            f"missing: {len(court.found.passed)} of {court.found.slots} slots were passed over; "
            "this machine was held up too often to show anything, so try again"
        )
    return court.found


class _Court:
    def __init__(self, lines: Sequence[Line], until: datetime) -> None:
        self.found = Judgement()
        self._until = until
        self._called: dict[UUID, list[Line]] = defaultdict(list)
        for line in lines:
            self._called[line.key].append(line)

    def hear(self, one: Series) -> None:
        """Judge the slots of one task, and its rows that have none."""
        slots: dict[datetime, list[Row]] = defaultdict(list)
        for row in one.rows:
            slots[row.slot].append(row)
        due = dict.fromkeys(one.rule.slots(one.after, self._until), SCHEDULE)
        self.found.slots += len(due)
        self.found.requests += len(one.requests)
        due |= {slot: wake for wake, slot in one.requests.items()}
        for slot, wake in due.items():
            self.found.faults += self._judge(one, slot, wake, slots.pop(slot, []))
        self.found.faults += [
            f"missing: {one.named(row.slot)} had no row until a sweep made it: the start before it left none"
            for row in one.rows
            if row.mended and row.key != one.deleted
        ]
        self.found.faults += [
            f"extra: {one.named(slot)} is {row.state} under {row.key}, and its rule has no such slot"
            for slot, rows in slots.items()
            if slot <= self._until
            for row in rows
        ]

    def _judge(self, one: Series, slot: datetime, wake: str, rows: Sequence[Row]) -> Iterator[str]:
        """One slot: its runs by their attempts, each with one call of a handler, and the last one good."""
        runs = sorted((row for row in rows if row.started), key=lambda row: (row.wake != wake, row.wake))
        if not runs:
            yield from self._judge_silence(one, slot, rows)
            return
        firsts = [row for row in runs if row.wake == wake]
        if len(firsts) != 1:
            yield f"{_often(firsts)}: {one.named(slot)} has {len(firsts)} rows that woke by {wake}"
        for row in runs:
            calls = self._called.get(row.key, [])
            if len(calls) != 1:
                yield (
                    f"{_often(calls)}: {one.named(slot)} by {row.wake}: the handlers' file has {len(calls)} "
                    f"calls under {row.key}"
                )
            if row.wake == SCHEDULE:
                self.found.late_ms += [line.late_ms for line in calls if line.how != PULLED]
        *before, last = runs
        states = ", then ".join(row.state for row in runs)
        if any(row.state not in _FAILED for row in before):
            yield f"double: {one.named(slot)} ran again without need: {states}"
        elif last.state != "succeeded":
            yield f"missing: {one.named(slot)} was never done: {states}"
        elif before:
            self.found.retried += 1
        else:
            self.found.first_try += 1

    def _judge_silence(self, one: Series, slot: datetime, rows: Sequence[Row]) -> Iterator[str]:
        """A slot that never ran is missing, unless the ledger says that it was passed over, and it had to be.

        It had to be where its row stood open in time, and nobody came to it before the rule's next slot: the
        machine was held up. Slots between that row and the one that ran share its fate.
        """
        skipped = {row.key for row in one.rows if row.state == "skipped" and not row.mended}
        overtaken = [row.closed for row in rows if row.key in skipped and row.reason == "misfire"]
        overtaken += [
            row.started
            for row in one.rows
            for first, last, reason in row.passed
            if first <= slot <= last and reason == "misfire" and row.before in skipped
        ]
        for moment in overtaken:
            if moment is not None and _next_had_come(one.rule, slot, moment):
                self.found.passed.append(
                    f"{one.named(slot)} was passed over (misfire): nobody came to it until {moment:%H:%M:%S}"
                )
                return
        said = ", ".join(f"{row.state} ({row.reason or 'no reason'})" for row in rows)
        yield f"missing: {one.named(slot)} {f'is {said}' if said else 'has no row'}, so it never ran"


def _often(found: Sequence[object]) -> str:
    return "double" if found else "missing"


def _next_had_come(rule: Rule, slot: datetime, moment: datetime) -> bool:
    return isinstance(rule, Every) and moment >= slot + timedelta(seconds=rule.seconds)
