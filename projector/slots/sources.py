"""Where slots come from: one class for each kind of schedule. Instants are microseconds from 1970, UTC.

`after` gives the first slot strictly later, `before` the last strictly earlier, None where there is
none; neither knows bounds or exclusions, which `schedule.py` lays over them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Protocol

from projector.slots.timeline import Timeline
from projector.slots.zones import BEGINNING, END

SECOND_US = 1_000_000


class Source(Protocol):
    """What every kind of schedule can say."""

    def after(self, instant: int) -> int | None: ...

    def before(self, instant: int) -> int | None: ...


class Walk(Protocol):
    """What names wall times: a cron text's pattern, or an rrule's recurrence.

    Wall times are seconds, and days days, from 1970-01-01 of the wall clock.
    """

    def next(self, wall: int) -> int | None: ...

    def last(self, wall: int) -> int | None: ...

    def next_day(self, day: int) -> int | None: ...

    def times(self, day: int) -> int: ...


class WallSource:
    """The wall times of a walk, seen through the windows of a zone."""

    def __init__(self, walk: Walk, timeline: Timeline) -> None:
        self.walk = walk
        self.timeline = timeline

    def after(self, instant: int) -> int | None:
        first = instant // SECOND_US + 1
        windows = self.timeline.windows
        # The walk is known to hold nothing from `low_empty` up to `high_empty`.
        low_empty = high_empty = END
        for i in range(bisect_right(self.timeline.ends, first), len(windows)):
            start, _, low, high, offset = windows[i]
            if offset is not None and start < first:
                low = first + offset
            if low_empty <= low and high <= high_empty:
                continue
            if not low_empty <= low <= high_empty:
                low_empty = high_empty = low
            wall = self.walk.next(high_empty)
            if wall is not None and wall < high:
                return (start if offset is None else wall - offset) * SECOND_US
            high_empty = END if wall is None else wall
        return None

    def before(self, instant: int) -> int | None:
        last = -(-instant // SECOND_US)
        windows = self.timeline.windows
        low_empty = high_empty = BEGINNING
        for i in range(bisect_left(self.timeline.starts, last) - 1, -1, -1):
            start, end, low, high, offset = windows[i]
            if offset is not None and end > last:
                high = last + offset
            if low_empty <= low and high <= high_empty:
                continue
            if not low_empty <= high <= high_empty:
                low_empty = high_empty = high
            wall = self.walk.last(low_empty - 1)
            if wall is not None and wall >= low:
                return (start if offset is None else wall - offset) * SECOND_US
            low_empty = BEGINNING if wall is None else wall + 1
        return None


class EverySource:
    """`anchor + k × step` for every integer k."""

    def __init__(self, anchor: int, step: int) -> None:
        self.anchor = anchor
        self.step = step

    def after(self, instant: int) -> int:
        return instant + self.step - (instant - self.anchor) % self.step

    def before(self, instant: int) -> int:
        return instant - 1 - (instant - 1 - self.anchor) % self.step


class AtSource:
    """One instant."""

    def __init__(self, at: int) -> None:
        self.at = at

    def after(self, instant: int) -> int | None:
        return self.at if self.at > instant else None

    def before(self, instant: int) -> int | None:
        return self.at if self.at < instant else None


class UnionSource:
    """The slots of any of several sources; equal ones are one."""

    def __init__(self, sources: tuple[Source, ...]) -> None:
        self.sources = sources

    def after(self, instant: int) -> int | None:
        found = [slot for source in self.sources if (slot := source.after(instant)) is not None]
        return min(found, default=None)

    def before(self, instant: int) -> int | None:
        found = [slot for source in self.sources if (slot := source.before(instant)) is not None]
        return max(found, default=None)
