"""A second engine for slots: it enumerates wall times and asks zoneinfo about each. Slow and plain.

It shares nothing with the product but the tzdata package: its own reading of the fields, no croniter,
no windows, no search. Where the two differ, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
SECOND = timedelta(seconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_S = 86_400
GRID_S = 1200
REACH_S = 27 * 3600


@lru_cache(maxsize=1024)
def zone_info(name: str) -> ZoneInfo:
    """zoneinfo's zone out of the tzdata package, whatever the host has."""
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


@cache
def all_zones() -> list[str]:
    return files("tzdata").joinpath("zones").read_text("ascii").split()


def offset(zone: ZoneInfo, instant: datetime) -> timedelta:
    given = instant.astimezone(zone).utcoffset()
    assert given is not None
    return given


class SecondEngine:
    """The slots of one cron text, with seconds or without, by enumeration."""

    def __init__(self, text: str, zone: str, gap: str, overlap: str) -> None:
        fields = text.lower().split()
        self.real_time = len(fields) == 6 or fields[0].startswith("*") or fields[1].startswith("*")
        self.seconds = _numbers(fields.pop(0), 0, 59) if len(fields) == 6 else [0]
        self.minutes = _numbers(fields[0], 0, 59)
        self.hours = _numbers(fields[1], 0, 23)
        self.months = _numbers(fields[3], 1, 12, ["", *MONTHS])
        self.dom, self.dow = fields[2], fields[4]
        self._look(zone, gap, overlap)

    def _look(self, zone: str, gap: str, overlap: str) -> None:
        self.clock = Clock(zone)
        self.gap = gap
        self.overlap = overlap
        # What the enumeration met, so that a run can tell whether it tried anything.
        self.landed = self.dropped = self.repeated = 0

    def slots(self, low: datetime, high: datetime) -> list[datetime]:
        """Every slot in [low, high), which should lie some hours around whatever is of interest."""
        first, last = int(low.timestamp()), int(high.timestamp())
        # No two clocks of one zone differ by more: what else may show a wall time lies within it.
        offsets = self.clock.offsets(first - REACH_S, last + REACH_S)
        found: set[int] = set()
        for wall in self._walls(first + offsets[0], last + offsets[-1]):
            found.update(self._instants(wall, offsets))
        return [EPOCH + slot * SECOND for slot in sorted(found) if first <= slot < last]

    def _walls(self, low: int, high: int) -> Iterator[int]:
        """The wall times in [low, high) that the text names, in seconds from 1970 on the wall clock."""
        for number in range(low // DAY_S, high // DAY_S + 1):
            if self.has_day(date.fromordinal(EPOCH.toordinal() + number)):
                for hour in self.hours:
                    for minute in self.minutes:
                        for second in self.seconds:
                            wall = number * DAY_S + hour * 3600 + minute * 60 + second
                            if low <= wall < high:
                                yield wall

    def ever(self) -> bool:
        """Whether any date of 2000 to 2199 fits: years repeat themselves after 28, and 2100 is like 2010."""
        days = (date(2000, 1, 1) + timedelta(days=n) for n in range(28 * 366))
        return any(self.has_day(day) for day in days)

    def has_day(self, day: date) -> bool:
        if day.month not in self.months:
            return False
        by_date = any(_date_item(item, day) for item in self.dom.split(","))
        by_week = any(_week_item(item, day) for item in self.dow.split(","))
        if self.dom[0] in "*?" or self.dow[0] in "*?":
            return by_date and by_week
        return by_date or by_week

    def _instants(self, wall: int, offsets: list[int]) -> list[int]:
        valid = sorted(wall - each for each in offsets if self.clock.offset(wall - each) == each)
        if self.real_time:
            return valid
        if valid:
            self.repeated += len(valid) > 1
            return {"first": valid[:1], "last": valid[-1:], "both": valid}[self.overlap]
        end, length = self.clock.gap_end(wall)
        shifted = self.gap == "shift" and length < 3 * 3600
        self.landed += shifted
        self.dropped += not shifted
        return [end] if shifted else []


class Clock:
    """A zone's wall clock, by asking zoneinfo at one instant after another; seconds from 1970."""

    def __init__(self, name: str) -> None:
        self.zone = zone_info(name)
        # What was seen at every twentieth minute: where it is the same at both ends it is the same between.
        self._seen: list[int] = []
        self._from = 0
        self._gaps: list[tuple[int, int, int]] = []

    def offsets(self, low: int, high: int) -> list[int]:
        """Every offset in force between two instants, ascending."""
        self._from = low // GRID_S
        self._seen = [self._ask(n * GRID_S) for n in range(self._from, high // GRID_S + 2)]
        return sorted(set(self._seen))

    def offset(self, instant: int) -> int:
        """The offset at an instant."""
        seen, n = self._seen, instant // GRID_S - self._from
        if 0 <= n < len(seen) - 1 and seen[n] == seen[n + 1]:
            return seen[n]
        return self._ask(instant)

    def _ask(self, instant: int) -> int:
        return int(offset(self.zone, EPOCH + instant * SECOND).total_seconds())

    def gap_end(self, wall: int) -> tuple[int, int]:
        """The instant at which the clock jumps over a wall time, and how far."""
        for end, low, high in self._gaps:
            if low <= wall < high:
                return end, high - low
        instant = wall - REACH_S
        while instant + self.offset(instant) <= wall:
            instant += 300
        while instant - 1 + self.offset(instant - 1) > wall:
            instant -= 1
        low, high = (instant + self.offset(instant - n) for n in (1, 0))
        self._gaps.append((instant, low, high))
        return instant, high - low


def _numbers(field: str, low: int, high: int, names: Sequence[str] = ()) -> list[int]:
    """The numbers that the items of a field name, ascending."""
    return sorted({n for item in field.split(",") for n in _members(item, low, high, names)})


def _members(item: str, low: int, high: int, names: Sequence[str]) -> list[int]:
    body, _, step = item.partition("/")
    if body in ("*", "?"):
        first, last = low, high
    elif "-" in body:
        first, last = (_number(part, names) for part in body.split("-"))
        if first > last:
            return [*range(first, high + 1), *range(low, last + 1)]
    else:
        first = _number(body, names)
        last = high if step else first
    return [n for n in range(first, last + 1) if (n - first) % int(step or 1) == 0]


def _number(written: str, names: Sequence[str]) -> int:
    return names.index(written) if written in names else int(written)


def _date_item(item: str, day: date) -> bool:
    if item == "l":
        return (day + timedelta(days=1)).month != day.month
    if item.endswith("w"):
        aim = day.replace(day=int(item[:-1]))
        near = [aim + timedelta(days=n) for n in (0, -1, 1, -2, 2)]
        return day == next(d for d in near if d.month == aim.month and d.isoweekday() < 6)
    return day.day in _members(item, 1, 31, [])


def _week_item(item: str, day: date) -> bool:
    weekday = day.isoweekday() % 7
    if "#" in item:
        name, nth = item.split("#")
        return _number(name, WEEKDAYS) % 7 == weekday and (day.day + 6) // 7 == int(nth)
    if item.endswith("l") and item != "l":
        return _number(item[:-1], WEEKDAYS) % 7 == weekday and (day + timedelta(days=7)).month != day.month
    body, _, step = item.partition("/")
    if "-" in body:
        first, last = (_number(part, WEEKDAYS) for part in body.split("-"))
        if last == 7 and first <= 7:
            return weekday in {n % 7 for n in range(first, 8, int(step or 1))}
        body = f"{first % 7}-{last}"
    elif body not in ("*", "?"):
        body = str(_number(body, WEEKDAYS) % 7)
    return weekday in _members(f"{body}/{step}" if step else body, 0, 6, [])
