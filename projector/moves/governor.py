"""The Governor: which instant a series goes on at, and why; a pure function that a stored trail replays.

From (`after`, `base`, definition, hints) to (due, source, wake, trail), in this order:

1. Baseline: the first slot after `after`. Slots before `paused_until` are none while it lies ahead of
   `after`; with `resume: at_end` that very instant is one, if the schedule's bounds and exclusions allow it.
2. Hints. One counts while it is fresh: it expires after the later of `base` and its giving. An interval says
   `base` + interval, not before it was given; where that is not later than `after`, the first instant that
   is, unless it has expired by then. A one-shot says its instant, not before it was given nor before `base`;
   where its instant (or its giving, if later) is not later than `after`, nothing: the row that covers it has
   its disposition, and a skip or a cancel is not undone by the row that follows.
   Both: the earlier one (of two equal the interval); the baseline is ignored. An interval alone wins even
   if it is later than the baseline. A one-shot alone: the earlier of it and the baseline. A tie goes to the
   baseline.
3. Bounds: `clamped-min` where that is earlier than `base` + `min_interval_s`; else `clamped-max` where it is
   later than `base` + `max_interval_s`; where even that is not later than `after`, the first instant that
   is. A series that has ended is not brought back by a bound.
4. Pause: what lies before `paused_until` gives way to the baseline of 1. The first row after a pause has the
   source `paused`, unless a hint or a bound put it later than the pause.

A failure backoff (`Passing`) asks for the first grid slot not before its gate: hints and the upper bound,
which would lead before the gate again, do not count for that one row; the lower bound and the pause do. A
misfire asks for the newest slot that has come, and nothing else counts. Where slots were too late to run
(`grace`), or came while the tenant was shut out (`suspended`, `quota`), the baseline is the first that is
not, and all else is as ever.

`wake` is `hint` where a hint won before the bounds, else `schedule`. Every answer is later than `after`.

`base` of a series that has no row at its frontier is the time of the newest act that switched it on (define
or enable), not of an edit: or edits that come more often than a bound would put its first row off for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from ledger.authored.models import Definition
from ledger.facts import instant_text
from projector.moves.trail import MICROSECOND, Hint, HintKind, Passing, read_trail, trail_of
from projector.slots import Passed, Slots, schedule_of


class Decision(NamedTuple):
    """When, and why. `due` is None where the series has ended; `won`: the hint that won before the bounds.

    `trail` is None where the plain baseline won; else see `projector.moves.trail`. `passed` lists the slots
    in (`after`, `due`) that no row stands for: `first`, `last`, `count` (to 1,000, then `more`), `reason`.
    """

    due: datetime | None
    source: str | None
    won: HintKind | None = None
    trail: dict[str, object] | None = None
    passed: list[dict[str, object]] | None = None

    @property
    def wake(self) -> Literal["schedule", "hint", "end"]:
        if self.due is None:
            return "end"
        return "schedule" if self.won is None else "hint"


# The least and the most that may lie between `base` and what follows.
_Bounds: TypeAlias = tuple[timedelta | None, timedelta | None]
# Until when slots are passed over, and for which reason, in the order of time.
_Steps: TypeAlias = list[tuple[datetime, str]]


@lru_cache(maxsize=65_536)
def first_slot(slots: Slots, after: datetime) -> datetime | None:
    """The first slot after an instant; ten thousand tasks of one schedule at nine cost one evaluation."""
    return slots.next(after)


def govern(
    after: datetime,
    base: datetime,
    definition: Definition,
    hints: Sequence[Hint] = (),
    *,
    passing: Passing | None = None,
) -> Decision:
    """When a series goes on after (`after`, `base`), and why.

    `hints`: of each kind one at most, and none that is consumed.
    """
    slots, plain = schedule_of(definition.schedule), source_of(definition)
    paused = _pause(definition, after)
    if passing is not None and passing.reason == "misfire":
        due = first_slot(slots, max(after, passing.until - MICROSECOND))
        passed = _passed(slots, after, due, [(passing.until, "misfire")])
        trail = trail_of(definition, passing=passing)
        return Decision(due, plain if due else None, None, trail, passed)
    if passing is None and not hints and paused is None and _bounds(definition) == (None, None):
        due = first_slot(slots, after)
        return Decision(due, plain if due else None)
    gated = after if passing is None else max(after, passing.until - MICROSECOND)
    baseline = _baseline(slots, definition, gated)
    backs_off = passing is not None and passing.reason == "backoff"
    says = () if backs_off else _sayings(after, base, hints)
    due, won = _chosen(baseline, says)
    source, wished = plain if won is None else f"ai-{won}", due
    if due is not None:
        due, source = _clamped(after, base, _bounds(definition, upper=not backs_off), due, source)
    if paused is not None and (due is None or due < paused or source == plain):
        due, source = baseline, "paused"
    if due is not None and due <= after:
        raise AssertionError(f"the answer {due} is not later than {after}")
    if source == plain and passing is None:
        return Decision(due, source if due else None)
    steps = _steps(paused, passing, wished if won else None, due if source.startswith("clamped") else None)
    passed = _passed(slots, after, due, steps, None if paused is None else at_end(definition))
    trail = trail_of(definition, [hint for _, hint in says], won, paused, passing=passing)
    return Decision(due, source if due else None, won if due else None, trail, passed)


def replay(
    trail: Mapping[str, object] | None, after: datetime, base: datetime, definition: Definition
) -> Decision:
    """The decision of a row again, from what is stored on it: the same instant, source and wake.

    Without a trail the plain baseline won: the rule's first slot after `after`.
    """
    if trail is None:
        due = first_slot(schedule_of(definition.schedule), after)
        return Decision(due, source_of(definition) if due else None)
    hints, passing = read_trail(trail)
    return govern(after, base, definition, hints, passing=passing)


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


def _bounds(definition: Definition, *, upper: bool = True) -> _Bounds:
    least, most = definition.min_interval_s, definition.max_interval_s
    return (
        None if least is None else timedelta(seconds=least),
        timedelta(seconds=most) if upper and most is not None else None,
    )


def _pause(definition: Definition, after: datetime) -> datetime | None:
    """The end of the pause, where it lies ahead."""
    until = definition.paused_until
    return until if until is not None and until > after else None


def _baseline(slots: Slots, definition: Definition, after: datetime) -> datetime | None:
    until = _pause(definition, after)
    if until is None:
        return first_slot(slots, after)
    return at_end(definition) or first_slot(slots, until - MICROSECOND)


def at_end(definition: Definition) -> datetime | None:
    """The end of a version's pause, where that instant is a slot by itself."""
    until = definition.paused_until
    if until is None or definition.resume != "at_end":
        return None
    return until if schedule_of(definition.schedule).allows(until) else None


def _sayings(after: datetime, base: datetime, hints: Sequence[Hint]) -> Sequence[tuple[datetime, Hint]]:
    """The hints that count, by what they say; of two equal the interval comes first."""
    fresh = [hint for hint in hints if hint.fresh(base)]
    return sorted((says, hint) for hint in fresh if (says := hint.instant(after, base)) is not None)


def _chosen(
    baseline: datetime | None, says: Sequence[tuple[datetime, Hint]]
) -> tuple[datetime | None, HintKind | None]:
    """What wins before the bounds, and the hint that it comes from."""
    if not says:
        return baseline, None
    instant, hint = says[0]
    alone = hint.kind == "oneshot" and len(says) == 1
    if baseline is not None and (baseline == instant or (alone and baseline < instant)):
        return baseline, None
    return instant, hint.kind


def _clamped(
    after: datetime, base: datetime, bounds: _Bounds, due: datetime, source: str
) -> tuple[datetime, str]:
    least, most = bounds
    if least is not None and due < base + least:
        return base + least, "clamped-min"
    if most is not None and due > (latest := max(base + most, after + MICROSECOND)):
        return latest, "clamped-max"
    return due, source


def _steps(
    paused: datetime | None, passing: Passing | None, hinted: datetime | None, clamped: datetime | None
) -> _Steps:
    steps = [(paused, "paused")] if paused is not None else []
    if passing is not None:
        steps.append((passing.until, "misfire" if passing.reason == "grace" else passing.reason))
    if hinted is not None:
        steps.append((hinted, "hint"))
    return steps if clamped is None else [*steps, (clamped, "clamp")]


def _passed(
    slots: Slots, after: datetime, due: datetime | None, steps: _Steps, at_end: datetime | None = None
) -> list[dict[str, object]] | None:
    """What the column `passed` keeps of the slots in (`after`, `due`), by reason (I10).

    `at_end` is a slot that the rule does not have.
    """
    entries: list[dict[str, object]] = []
    for until, reason in steps:
        stop = until if due is None else min(until, due)
        if stop > after:
            found = slots.count_between(after, stop)
            if at_end is not None and after < at_end < stop and not slots.holds(at_end):
                found = _joined(found, at_end)
            if found is not None:
                entries.append(_entry(found, reason))
            after = stop - MICROSECOND
    return entries or None


def _joined(found: Passed | None, single: datetime) -> Passed:
    if found is None:
        return Passed(single, single, 1, False)
    count = found.count if found.more else found.count + 1
    return Passed(min(found.first, single), max(found.last, single), count, found.more)


def _entry(found: Passed, reason: str) -> dict[str, object]:
    entry: dict[str, object] = {
        "first": instant_text(found.first),
        "last": instant_text(found.last),
        "count": found.count,
        "reason": reason,
    }
    return entry | {"more": True} if found.more else entry
