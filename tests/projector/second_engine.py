"""A second engine for slots: it enumerates wall times and asks zoneinfo about each. Slow and plain.

It shares nothing with the product but the tzdata package: its own reading of the fields, no croniter,
no windows, no search. Where the two differ, one of them is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


@lru_cache(maxsize=1024)
def zone_info(name: str) -> ZoneInfo:
    """zoneinfo's zone out of the tzdata package, whatever the host has."""
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


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
        seconds = fields.pop(0) if len(fields) == 6 else "0"
        self.seconds = [n for n in range(60) if _matches(seconds, n, 0, 59, [])]
        self.fields = fields
        self.zone = zone_info(zone)
        self.gap = gap
        self.overlap = overlap
        # What the enumeration met, so that a run can tell whether it tried anything.
        self.landed = self.dropped = self.repeated = 0

    def slots(self, low: datetime, high: datetime) -> list[datetime]:
        """Every slot in [low, high), which should lie some days around whatever is of interest."""
        offsets = self._offsets(low - 3 * 24 * HOUR, high + 3 * 24 * HOUR)
        found = set()
        for wall in self._walls(low - 30 * HOUR, high + 30 * HOUR):
            found.update(self._instants(wall, offsets))
        return sorted(slot for slot in found if low <= slot < high)

    def _offsets(self, low: datetime, high: datetime) -> list[timedelta]:
        steps = int((high - low) / timedelta(minutes=20))
        return sorted({offset(self.zone, low + n * timedelta(minutes=20)) for n in range(steps)})

    def _walls(self, low: datetime, high: datetime) -> Iterator[datetime]:
        """The wall times that the text names, written as if they were UTC."""
        minutes = [n for n in range(60) if _matches(self.fields[0], n, 0, 59, [])]
        hours = [n for n in range(24) if _matches(self.fields[1], n, 0, 23, [])]
        day = low.date()
        while day <= high.date():
            if self.has_day(day):
                for hour in hours:
                    for minute in minutes:
                        for second in self.seconds:
                            yield datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=UTC)
            day += timedelta(days=1)

    def ever(self) -> bool:
        """Whether any date of 2000 to 2199 fits."""
        days = (date(2000, 1, 1) + timedelta(days=n) for n in range(73_049))
        return any(self.has_day(day) for day in days)

    def has_day(self, day: date) -> bool:
        _, _, dom, month, dow = self.fields
        if not _matches(month, day.month, 1, 12, ["", *MONTHS]):
            return False
        by_date = any(_date_item(item, day) for item in dom.split(","))
        by_week = any(_week_item(item, day) for item in dow.split(","))
        if dom[0] in "*?" or dow[0] in "*?":
            return by_date and by_week
        return by_date or by_week

    def _instants(self, wall: datetime, offsets: list[timedelta]) -> list[datetime]:
        valid = sorted(wall - each for each in offsets if offset(self.zone, wall - each) == each)
        if self.real_time:
            return valid
        if valid:
            self.repeated += len(valid) > 1
            return {"first": valid[:1], "last": valid[-1:], "both": valid}[self.overlap]
        end, length = self._gap_end(wall)
        shifted = self.gap == "shift" and length < 3 * HOUR
        self.landed += shifted
        self.dropped += not shifted
        return [end] if shifted else []

    def _gap_end(self, wall: datetime) -> tuple[datetime, timedelta]:
        """The instant at which the clock jumps over a wall time, and how far."""
        step = timedelta(minutes=5)
        instant = wall - 27 * HOUR
        while instant + offset(self.zone, instant) <= wall:
            instant += step
        while instant - SECOND + offset(self.zone, instant - SECOND) > wall:
            instant -= SECOND
        return instant, offset(self.zone, instant) - offset(self.zone, instant - SECOND)


def _matches(field: str, number: int, low: int, high: int, names: list[str]) -> bool:
    return any(number in _members(item, low, high, names) for item in field.split(","))


def _members(item: str, low: int, high: int, names: list[str]) -> list[int]:
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


def _number(written: str, names: list[str]) -> int:
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
