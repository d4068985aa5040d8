"""The first slot that two schedules share: where a series resumes when its task is edited.

An edit after years of outage, between two dense schedules that never meet, must not walk slot by slot:
this runs under the task's lock. Grids are solved in closed form. A cron text is taken a day at a time,
its times of day as one number with a bit for each second, so the work is bounded by the days between
the two instants and the changes of offset in them, whatever the texts.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from math import gcd
from typing import NamedTuple

from projector.slots.schedule import Slots, instant_at, microseconds
from projector.slots.sources import SECOND_US, AtSource, EverySource, Source, UnionSource, Walk, WallSource
from projector.slots.timeline import Timeline
from projector.slots.zones import DAY_S

_FULL_DAY = (1 << DAY_S) - 1


class _Span(NamedTuple):
    """Real time from `start` to `end` (exclusive), in seconds, and the offsets of the two wall clocks."""

    start: int
    end: int
    offset: int
    other: int


def first_common(a: Slots, b: Slots, after: datetime, until: datetime) -> datetime | None:
    """The first instant in (`after`, `until`] that is a slot of both schedules; None if there is none."""
    low = max(microseconds(after) + 1, a.start, b.start)
    high = min(microseconds(until) + 1, a.end, b.end)
    exclusions = [slots.exclusions for slots in (a, b) if slots.exclusions is not None]
    while low < high and (slot := _common(a.source, b.source, low, high)) is not None:
        outs = [out for exclusion in exclusions if (out := exclusion.around(slot)) is not None]
        if not outs:
            return instant_at(slot)
        low = max(out[1] for out in outs)
    return None


def _common(a: Source, b: Source, low: int, high: int) -> int | None:
    """The first instant in [low, high) that both sources hold."""
    match sorted((a, b), key=_rank):
        case UnionSource(sources=sources), other:
            found = (_common(source, other, low, high) for source in sources)
            return min((slot for slot in found if slot is not None), default=None)
        case AtSource(at=at), other:
            return at if low <= at < high and _holds(other, at) else None
        case WallSource() as walls, WallSource() as other:
            return _of_walls(walls, other, low, high)
        case WallSource() as walls, EverySource() as grid:
            return _of_walls_and_grid(walls, grid, low, high)
        case EverySource() as grid, EverySource() as other:
            return _of_grids(grid, other, low, high)
    raise TypeError(f"no rule for the slots that {type(a).__name__} and {type(b).__name__} share")


def _rank(source: Source) -> int:
    """The order in which a pair is looked at, so that each pair of kinds has one rule."""
    return (UnionSource, AtSource, WallSource, EverySource).index(type(source))


def _holds(source: Source, instant: int) -> bool:
    return source.after(instant - 1) == instant


def _of_grids(a: EverySource, b: EverySource, low: int, high: int) -> int | None:
    """Two grids share a grid, or nothing (the Chinese remainder theorem)."""
    common = gcd(a.step, b.step)
    apart, rest = divmod(b.anchor - a.anchor, common)
    if rest:
        return None
    other = b.step // common
    first = a.anchor + a.step * (apart * pow(a.step // common, -1, other) % other)
    slot = EverySource(first, a.step * other).after(low - 1)
    return slot if slot < high else None


def _of_walls_and_grid(walls: WallSource, grid: EverySource, low: int, high: int) -> int | None:
    """Day by day, the grid's times of the day against the text's; a coarse grid is walked itself."""
    if grid.anchor % SECOND_US:
        return None
    step, anchor = grid.step // SECOND_US, grid.anchor // SECOND_US
    if step >= DAY_S:
        slot = grid.after(low - 1)
        while slot < high and not _holds(walls, slot):
            slot = grid.after(slot)
        return slot if slot < high else None
    comb = _comb(step)

    def shared(day: int, span: _Span) -> int:
        return walls.walk.times(day) & comb << (anchor + span.offset - day * DAY_S) % step

    plain = _search(walls.walk, _plain(walls.timeline, low, high), shared)
    return _earlier(plain, _landing(walls, grid, low, high))


def _of_walls(a: WallSource, b: WallSource, low: int, high: int) -> int | None:
    """Day by day of a's wall clock, b's times of day shifted to it; they come from two days of b's."""

    def shared(day: int, span: _Span) -> int:
        days, shift = divmod(span.offset - span.other, DAY_S)
        theirs = b.walk.times(day - days) << shift
        if shift:
            theirs |= b.walk.times(day - days - 1) >> (DAY_S - shift)
        return a.walk.times(day) & theirs

    spans = _both(_plain(a.timeline, low, high), _plain(b.timeline, low, high))
    plain = _search(a.walk, spans, shared)
    return _earlier(plain, _earlier(_landing(a, b, low, high), _landing(b, a, low, high)))


def _comb(step: int) -> int:
    """A bit for every so many seconds, for a day at least."""
    comb, width = 1, step
    while width < DAY_S:
        comb |= comb << width
        width *= 2
    return comb


def _search(walk: Walk, spans: list[_Span], shared: Callable[[int, _Span], int]) -> int | None:
    """The first slot in the spans. `shared` gives, for a day of the walk's wall clock, a bit for each
    second of the day (bits past its end do not count) that both schedules name."""
    for span in spans:
        day, time = divmod(span.start + span.offset, DAY_S)
        end = span.end + span.offset
        while (found := walk.next_day(day)) is not None and found * DAY_S < end:
            bits = (shared(found, span) & _FULL_DAY) >> (time if found == day else 0)
            if bits:
                wall = found * DAY_S + (time if found == day else 0) + (bits & -bits).bit_length() - 1
                if wall < end:
                    return (wall - span.offset) * SECOND_US
                break
            day, time = found + 1, 0
    return None


def _plain(timeline: Timeline, low: int, high: int) -> list[_Span]:
    """The windows in [low, high) that are no landings."""
    start, end = -(-low // SECOND_US), -(-high // SECOND_US)
    return [
        _Span(max(window.start, start), min(window.end, end), window.offset, 0)
        for window in timeline.between(start, end)
        if window.offset is not None
    ]


def _both(a: list[_Span], b: list[_Span]) -> list[_Span]:
    """The real time that spans of both lists cover, each with the offset of one and of the other."""
    both = []
    i = j = 0
    while i < len(a) and j < len(b):
        start, end = max(a[i].start, b[j].start), min(a[i].end, b[j].end)
        if start < end:
            both.append(_Span(start, end, a[i].offset, b[j].offset))
        if a[i].end == end:
            i += 1
        else:
            j += 1
    return both


def _landing(walls: WallSource, other: Source, low: int, high: int) -> int | None:
    """The first instant in [low, high) where missing times of `walls` land and that both sources hold."""
    for window in walls.timeline.between(-(-low // SECOND_US), -(-high // SECOND_US)):
        slot = window.start * SECOND_US
        if window.offset is None and _holds(walls, slot) and _holds(other, slot):
            return slot
    return None


def _earlier(a: int | None, b: int | None) -> int | None:
    return min((slot for slot in (a, b) if slot is not None), default=None)
