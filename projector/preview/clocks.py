"""What changing clocks do to a schedule, told slot by slot: moved, dropped, first or second of two.

Nothing is decided here. The slots come from the walk; this looks at the zone around each of them and says
what the rule of daylight saving did there, and which wall times of a rule have no slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ledger.authored.cron import read_cron
from ledger.authored.models import PlainSchedule
from projector.preview.english import duration, joined
from projector.slots.sources import SECOND_US, Walk, WallSource
from projector.slots.timeline import Reading, timeline
from projector.slots.zones import BEGINNING, DAY_S, Zone, zone

# No two wall clocks of one zone ever differed by as much.
_REACH_S = 54 * 3600
_NAMED_MOST = 3


class Dropped(NamedTuple):
    """Wall times of a rule that have no slot: where in real time, the first of them, and why, in words."""

    at: int
    wall: int
    why: str


class Clocks:
    """One rule of a schedule beside the clocks of its zone. Instants and wall times are in seconds."""

    def __init__(self, schedule: PlainSchedule, source: WallSource) -> None:
        self._source = source
        self._walk = source.walk
        self._zone = zone(schedule.timezone)
        cron = None if schedule.cron is None else read_cron(schedule.cron, seconds=schedule.seconds)
        self._real_time = cron is not None and cron.real_time
        self._gap, self._overlap = schedule.dst.gap, schedule.dst.overlap

    def remarks(self, instant: int) -> list[str]:
        """What is to be said of the slot at an instant; nothing where this rule has none there."""
        if self._source.after(instant * SECOND_US - 1) != instant * SECOND_US:
            return []
        said = [] if self._real_time else self._moved(instant)
        return said or self._repeated(instant)

    def dropped(self, start: int, end: int) -> Iterator[Dropped]:
        """Wall times that the rule names, that no clock shows and that have no slot, in [start, end)."""
        for i, at in enumerate(self._zone.starts):
            if i and start <= at < end:
                low, high = at + self._zone.offsets[i - 1], at + self._zone.offsets[i]
                shifted = not self._real_time and self._gap == "shift" and landing(self._zone, at)
                if low < high and not shifted:
                    yield from self._lost(at, low, high)

    def _lost(self, at: int, low: int, high: int) -> Iterator[Dropped]:
        named = _named(self._walk, low, high)
        if not named or any(instants(self._zone, wall) for wall in named):
            return
        if self._real_time:
            why = f"{clock(low)} to {clock(high)} does not exist that day, and nothing runs in its place"
        elif high - low >= DAY_S:
            why = "this day does not exist in the zone"
        else:
            chosen = "dst.gap is skip" if landing(self._zone, at) else "the gap is of three hours or more"
            why = f"{_absent(named)} ({turn(low, high)}), and {chosen}"
        yield Dropped(at, named[0], why)

    def _moved(self, instant: int) -> list[str]:
        if self._gap != "shift":
            return []
        windows = timeline(self._zone, Reading(False)).between(instant, instant + 1)
        missing = [
            wall
            for window in windows
            if window.offset is None and window.start == instant
            for wall in _named(self._walk, window.low, window.high)
        ]
        if not missing:
            return []
        here = instant + self._zone.offset_at(instant)
        before = instant + self._zone.offset_at(instant - 1)
        own = self._walk.next(here) == here
        what = "this run also stands for it" if own and len(missing) == 1 else "this run stands for them too"
        if own:
            return [f"{_absent(missing)} ({turn(before, here)}); {what}"]
        moved = "moved from midnight" if [wall % DAY_S for wall in missing] == [0] else "moved"
        return [f"{moved}: {_absent(missing)} ({turn(before, here)})"]

    def _repeated(self, instant: int) -> list[str]:
        wall = instant + self._zone.offset_at(instant)
        passes = instants(self._zone, wall)
        if len(passes) < 2:
            return []
        which = "first" if instant == passes[0] else "second"
        said = f"{clock(wall)} comes twice that day: this is the {which}"
        if self._real_time or self._overlap == "both":
            return [f"{said}, and both run"]
        return [f"{said}, and the {'second' if which == 'first' else 'first'} does not run"]


def landing(where: Zone, at: int) -> bool:
    """Whether missing wall times could be moved to the change at an instant."""
    windows = timeline(where, Reading(False)).between(at, at + 1)
    return any(window.offset is None and window.start == at for window in windows)


def instants(where: Zone, wall: int) -> list[int]:
    """The instants at which the clocks of a zone show a wall time, in order."""
    found = []
    start, at = BEGINNING, wall - _REACH_S
    while start <= wall + _REACH_S:
        start, end, offset = where.stretch(at)
        if start <= wall - offset < end:
            found.append(wall - offset)
        start = at = end
    return sorted(found)


def changed(where: Zone, before: int, instant: int) -> str | None:
    """How the clocks have changed between two slots, if their offsets differ."""
    forward = where.offset_at(instant) - where.offset_at(before)
    if not forward:
        return None
    return f"clocks went {'forward' if forward > 0 else 'back'} {duration(abs(forward))} since the last"


def changes(where: Zone, start: int, end: int) -> bool:
    """Whether clocks change in [start, end)."""
    return where.stretch(start)[1] < end


def turn(low: int, high: int) -> str:
    """What a clock does where it goes from one wall time to another."""
    return f"clocks go from {clock(low)} to {clock(high)}"


def clock(wall: int) -> str:
    """The time of day of a wall time; with seconds where it has some."""
    minutes, second = divmod(wall % DAY_S, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{second:02}" if second else text


def _absent(walls: list[int]) -> str:
    """`02:30 does not exist that day`."""
    names = [clock(wall) for wall in walls[:_NAMED_MOST]]
    if len(walls) > _NAMED_MOST:
        return f"{', '.join(names)} and others do not exist that day"
    return f"{joined(names)} {'does' if len(names) == 1 else 'do'} not exist that day"


def _named(walk: Walk, low: int, high: int) -> list[int]:
    """The first wall times in [low, high) that a rule names, one more than are told at most."""

    def named() -> Iterator[int]:
        wall = walk.next(low)
        while wall is not None and wall < high:
            yield wall
            wall = walk.next(wall + 1)

    return list(islice(named(), _NAMED_MOST + 1))
