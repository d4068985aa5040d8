"""The slots of a few schedules a second time: every one of a day is listed, nothing is searched or derived.

Only what the histories use: `every_s`, `at`, and cron texts of a plain minute and hour field. Nothing of the
product is imported; zones come from the tzdata package.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
# A daily slot is never further away, whatever the clocks do.
_HORIZON = 3


@lru_cache
def zone(name: str) -> ZoneInfo:
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


class OwnSlots:
    """The slots of one schedule, as plain JSON gives it."""

    def __init__(self, schedule: Mapping[str, object]) -> None:
        self.schedule = dict(schedule)
        self.end = read(schedule["ends_at"]) if "ends_at" in schedule else datetime(2200, 1, 1, tzinfo=UTC)
        self.at = read(schedule["at"]) if "at" in schedule else None
        self._days: dict[date, list[datetime]] = {}

    def next(self, after: datetime) -> datetime | None:
        """The first slot strictly after an instant."""
        if self.at is not None:
            return self.at if self.at > after else None
        day = after.date()
        for n in range(_HORIZON):
            slots = self._day(day + n * DAY)
            found = bisect_right(slots, after)
            if found < len(slots):
                return slots[found]
            if datetime.combine(day + n * DAY, time(), UTC) > self.end:
                return None
        raise AssertionError(f"no slot of {self.schedule} in the days after {after}")

    def newest(self, now: datetime) -> datetime | None:
        """The last slot that has come."""
        if self.at is not None:
            return self.at if self.at <= now else None
        for n in range(400):
            slots = self._day(now.date() - n * DAY)
            found = bisect_right(slots, now)
            if found:
                return slots[found - 1]
        return None

    def holds(self, instant: datetime) -> bool:
        return self.next(instant - MICROSECOND) == instant

    def between(self, low: datetime, high: datetime) -> list[datetime]:
        """Every slot strictly between two instants."""
        if self.at is not None:
            return [self.at] if low < self.at < high else []
        return list(self._walk(low, min(high, self.end)))

    def _walk(self, low: datetime, high: datetime) -> Iterator[datetime]:
        day = low.date()
        while day <= high.date():
            slots = self._day(day)
            yield from slots[bisect_right(slots, low) : bisect_left(slots, high)]
            day += DAY

    def _day(self, day: date) -> list[datetime]:
        """Every slot of a day of UTC, sorted."""
        if day not in self._days:
            low = datetime.combine(day, time(), UTC)
            found = self._every(low) if "every_s" in self.schedule else self._cron(day)
            self._days[day] = sorted(s for s in set(found) if low <= s < low + DAY and s < self.end)
        return self._days[day]

    def _every(self, low: datetime) -> Iterator[datetime]:
        step = timedelta(seconds=int(str(self.schedule["every_s"])))
        anchor = read(self.schedule.get("anchor", "1970-01-01T00:00:00Z"))
        slot = anchor + -((anchor - low) // step) * step
        while slot < low + DAY:
            yield slot
            slot += step

    def _cron(self, day: date) -> Iterator[datetime]:
        minute, hour, *_ = str(self.schedule["cron"]).split()
        there = zone(str(self.schedule.get("timezone", "UTC")))
        minutes = named(minute, 60)
        if hour.startswith("*") or minute.startswith("*"):
            # A wildcard job follows real time; no zone used here is off by less than a quarter of an hour.
            hours = set(named(hour, 24))
            low = datetime.combine(day, time(), UTC)
            for n in range(24 * 60):
                wall = (low + n * timedelta(minutes=1)).astimezone(there)
                if wall.minute in minutes and wall.hour in hours:
                    yield low + n * timedelta(minutes=1)
            return
        for local in (day - DAY, day, day + DAY):
            for h in named(hour, 24):
                for m in minutes:
                    yield landed(datetime.combine(local, time(h, m)), there)


def named(text: str, end: int) -> list[int]:
    """The numbers that a field of `*`, `*/n` or a list names."""
    if text.startswith("*"):
        return list(range(0, end, int(text[2:] or 1)))
    return [int(part) for part in text.split(",")]


def landed(wall: datetime, there: ZoneInfo) -> datetime:
    """The instant of a wall time: the first where it exists twice; where it does not exist, the gap's end."""
    early = wall.replace(tzinfo=there, fold=0).astimezone(UTC)
    if early.astimezone(there).replace(tzinfo=None) == wall:
        return early
    late = wall.replace(tzinfo=there, fold=1).astimezone(UTC)
    step = late
    while step.astimezone(there).utcoffset() == late.astimezone(there).utcoffset():
        step += timedelta(minutes=1)
    return step


def read(text: object) -> datetime:
    return datetime.fromisoformat(str(text))


@lru_cache(maxsize=4096)
def _slots(schedule: tuple[tuple[str, object], ...]) -> OwnSlots:
    return OwnSlots(dict(schedule))


def own_slots(schedule: Mapping[str, object]) -> OwnSlots:
    return _slots(tuple(sorted(schedule.items(), key=lambda item: item[0])))
