"""The Governor a second time, from the rules alone: when a series goes on, and what decided it.

Nothing of the product is imported; slots are those of `own_slots`. Each rule is a line of its own, so that
whoever doubts one finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from tests.moves.own_slots import MICROSECOND, OwnSlots

INTERVAL: Literal["interval"] = "interval"
ONESHOT: Literal["oneshot"] = "oneshot"


class OwnHint(NamedTuple):
    """A wish beside the rule: an interval counted from `base`, or one instant."""

    kind: str
    given: datetime
    expires: datetime
    every: timedelta | None = None
    at: datetime | None = None

    def fresh(self, base: datetime) -> bool:
        """It counts while it expires after the later of `base` and its giving."""
        return self.expires > max(base, self.given)

    def counts(self, after: datetime, base: datetime) -> datetime | None:
        """When a row that follows `after` would run by it, if it is fresh and its time has not gone by.

        No answer lies at or before `after`. An interval that has passed by then is over at once, if it has
        not expired meanwhile. An instant that a row before has covered, whatever became of that row, has its
        disposition (I8, I10).
        """
        instant = self.instant(base)
        if not self.fresh(base):
            return None
        if self.at is not None and max(self.at, self.given) <= after:
            return None
        if instant <= after:
            return after + MICROSECOND if self.expires > after else None
        return instant

    def instant(self, base: datetime) -> datetime:
        """When it would run: never before it was given, and an instant never before `base`."""
        if self.every is not None:
            return max(base + self.every, self.given)
        assert self.at is not None
        return max(self.at, self.given, base)


@dataclass(frozen=True)
class OwnVersion:
    """What one version of a task says of time: its rule, the source of its baseline, bounds, and a pause.

    `least` and `most` may lie between `base` and the row after it. Its slots are those that the pause leaves.
    """

    rule: OwnSlots
    plain: str
    least: timedelta | None = None
    most: timedelta | None = None
    paused_until: datetime | None = None
    at_end: bool = False

    @property
    def at_once(self) -> datetime | None:
        """The end of the pause where it is a slot by itself: within the rule's bounds."""
        within = self.paused_until is not None and self.paused_until < self.rule.end
        return self.paused_until if self.at_end and within else None

    def next(self, after: datetime) -> datetime | None:
        if self.paused_until is None or after >= self.paused_until:
            return self.rule.next(after)
        return self.at_once or self.rule.next(self.paused_until - MICROSECOND)

    def newest(self, now: datetime) -> datetime | None:
        """The last slot that has come."""
        found = self.rule.newest(now)
        if self.paused_until is None:
            return found
        if now < self.paused_until:
            return None
        return found if found is not None and found >= self.paused_until else self.at_once

    def holds(self, instant: datetime) -> bool:
        return self.next(instant - MICROSECOND) == instant

    def to_pass(self, low: datetime, high: datetime) -> list[datetime]:
        """What a row that covers (low, high] accounts for: the rule's slots, and the end of the pause."""
        return sorted({*self.rule.between(low, high), *self.between(low, high)})

    def between(self, low: datetime, high: datetime) -> list[datetime]:
        """Every slot strictly between two instants."""
        if self.paused_until is None:
            return self.rule.between(low, high)
        slots = set(self.rule.between(max(low, self.paused_until - MICROSECOND), high))
        once = self.at_once
        if once is not None and low < once < high:
            slots.add(once)
        return sorted(slots)


class OwnAnswer(NamedTuple):
    """What is decided. `due` is None where the series has ended; `won` is the hint that won, if one did."""

    due: datetime | None
    source: str | None
    won: str | None = None
    # What won, before the bounds and the pause.
    chosen: datetime | None = None

    @property
    def wake(self) -> str:
        if self.due is None:
            return "end"
        return "schedule" if self.won is None else "hint"


def grid(after: datetime, until: datetime, version: OwnVersion) -> OwnAnswer:
    """The row that a claim makes where it passes slots over: the rule's own first slot not before an instant.

    So it is after failures, and where the claim came too late; no hint has a say.
    """
    due = version.next(max(after, until - MICROSECOND))
    return OwnAnswer(due, version.plain if due else None, None, due)


def held_off(after: datetime, base: datetime, gate: datetime, version: OwnVersion) -> OwnAnswer:
    """The row after one that was skipped for failures: on the grid, but never sooner than the least bound."""
    on_grid = grid(after, gate, version)
    if on_grid.due is None or version.least is None or on_grid.due >= base + version.least:
        return on_grid
    return on_grid._replace(due=base + version.least, source="clamped-min")


def decide(
    after: datetime,
    base: datetime,
    version: OwnVersion,
    hints: Sequence[OwnHint] = (),
    too_late: datetime | None = None,
) -> OwnAnswer:
    """The Governor: when the row after (`after`, `base`) is due, and why.

    `hints` are those that stand and are not consumed, of each kind one at most. Slots before `too_late` are
    as if they were not there.
    """
    baseline = version.next(after if too_late is None else max(after, too_late - MICROSECOND))
    chosen, source, won = _chosen(after, base, baseline, version.plain, hints)
    if chosen is None:
        return OwnAnswer(None, None)
    due, source = _clamped(after, base, chosen, source, version)
    until = version.paused_until
    if until is not None and after < until and (due < until or source == version.plain):
        if baseline is None:
            return OwnAnswer(None, None)
        due, source = baseline, "paused"
    assert due > after
    return OwnAnswer(due, source, won, chosen)


def _chosen(
    after: datetime, base: datetime, baseline: datetime | None, plain: str, hints: Sequence[OwnHint]
) -> tuple[datetime | None, str, str | None]:
    """What wins before the clamps: an instant, its source, and the kind of hint it comes from."""
    wishes = {hint.kind: instant for hint in hints if (instant := hint.counts(after, base))}
    if not wishes:
        return baseline, plain, None
    kind = min(wishes, key=lambda kind: (wishes[kind], kind))
    # An interval is obeyed even where the rule would be earlier; an instant alone is not.
    earlier = INTERVAL not in wishes and baseline is not None and baseline < wishes[kind]
    if earlier or baseline == wishes[kind]:
        return baseline, plain, None
    return wishes[kind], f"ai-{kind}", kind


def _clamped(
    after: datetime, base: datetime, due: datetime, source: str, version: OwnVersion
) -> tuple[datetime, str]:
    if version.least is not None and due < base + version.least:
        return base + version.least, "clamped-min"
    # Where even the bound has passed, at once: the first instant that is later than `after`.
    latest = due if version.most is None else max(base + version.most, after + MICROSECOND)
    return (latest, "clamped-max") if latest < due else (due, source)
