"""How a zone's wall clock is read: which stretches of real time hold slots, in the order of real time.

The rule of daylight saving is decided here, once for a zone and a reading, and not during a walk. What
comes out is a list of windows. A plain window says: a wall time within it that the schedule names is
the slot that lies `offset` before it. A landing says: if the schedule names any of these missing wall
times, its start is a slot. Windows stand in the order of real time, so whoever
walks them forward or backward meets every slot once, strictly in order (a landing shares its second with
the window that follows: there the two are one slot).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from projector.slots.zones import BEGINNING, END, Zone

# A gap of three hours or more is a change of the calendar, not daylight saving: its times are no slots.
_LONGEST_SHIFT_S = 3 * 3600
# No two wall clocks of one zone ever differed by as much: stretches further apart share no wall time.
_REACH_S = 54 * 3600

Span = tuple[int, int]


class Reading(NamedTuple):
    """How wall times are read. Real time: whatever the clock shows. Else the two members of `dst`."""

    real_time: bool
    gap: Literal["shift", "skip"] = "shift"
    overlap: Literal["first", "last", "both"] = "first"


class Window(NamedTuple):
    """Real time from `start` to `end` (exclusive), wall time from `low` to `high` (exclusive), in seconds.

    With an offset, wall = real + offset throughout. Without one it is a landing: one second long, and
    the wall times are those that are missing there.
    """

    start: int
    end: int
    low: int
    high: int
    offset: int | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """The windows of a zone in order; `starts` and `ends` are theirs, apart for bisection."""

    windows: tuple[Window, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def between(self, start: int, end: int) -> tuple[Window, ...]:
        """The windows that have a second in [start, end)."""
        return self.windows[bisect_right(self.ends, start) : bisect_left(self.starts, end)]


@lru_cache(maxsize=2048)
def timeline(zone: Zone, reading: Reading) -> Timeline:
    """The windows of a zone under a reading."""
    spans = _wall_spans(zone)
    windows: list[Window] = []
    for i, (low, high) in enumerate(spans):
        if reading.real_time or reading.overlap == "both":
            pieces = [(low, high)]
        elif reading.overlap == "first":
            pieces = _without((low, high), [spans[j] for j in _near(zone, i) if j < i])
        else:
            pieces = _without((low, high), [spans[j] for j in _near(zone, i) if j > i])
        if i and not reading.real_time and reading.gap == "shift":
            windows += _landings(zone, spans, i)
        offset = zone.offsets[i]
        windows += [Window(a - offset, b - offset, a, b, offset) for a, b in pieces]
    return Timeline(
        tuple(windows), tuple(window.start for window in windows), tuple(window.end for window in windows)
    )


def _wall_spans(zone: Zone) -> list[Span]:
    """The wall time that each stretch of the zone shows, from BEGINNING to END on the wall."""
    lows = [start + offset for start, offset in zip(zone.starts, zone.offsets, strict=True)]
    highs = [end + offset for end, offset in zip(zone.starts[1:], zone.offsets, strict=False)]
    return list(zip([BEGINNING, *lows[1:]], [*highs, END], strict=True))


def _near(zone: Zone, i: int) -> list[int]:
    """The other stretches that may show a wall time of stretch i, or one that is missing at its start."""
    ends = (*zone.starts[1:], END)
    first = i
    while first > 0 and ends[first - 1] > zone.starts[i] - _REACH_S:
        first -= 1
    last = i
    while last + 1 < len(ends) and zone.starts[last + 1] < ends[i] + _REACH_S:
        last += 1
    return [j for j in range(first, last + 1) if j != i]


def _landings(zone: Zone, spans: list[Span], i: int) -> list[Window]:
    """The missing wall times at the start of stretch i, if its gap is one of daylight saving."""
    gap = (spans[i - 1][1], spans[i][0])
    if not 0 < gap[1] - gap[0] < _LONGEST_SHIFT_S:
        return []
    start = zone.starts[i]
    missing = _without(gap, [spans[j] for j in _near(zone, i)])
    return [Window(start, start + 1, low, high, None) for low, high in missing]


def _without(span: Span, others: list[Span]) -> list[Span]:
    """What is left of a span without the others, in order."""
    left = [span]
    for low, high in others:
        left = [part for a, b in left for part in ((a, min(b, low)), (max(a, high), b)) if part[0] < part[1]]
    return left
