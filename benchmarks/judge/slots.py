"""The slots of a schedule, a second time: plain walks over minutes and multiples, slow and easy to believe.

A member or a text that it does not know is an error, never passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
MINUTE = timedelta(minutes=1)

_KNOWN = {"every_s", "anchor", "at", "cron", "timezone", "starts_at", "ends_at"}
# Minute, hour, day of month, month, day of week: the least and the greatest number of each.
_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))


def instant(text: str) -> datetime:
    """An instant as the ledger's texts spell it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC)


def slots_between(schedule: Mapping[str, object], after: datetime, until: datetime) -> list[datetime]:
    """The slots later than `after` and not later than `until`. Raises ValueError for what it cannot read."""
    if unknown := schedule.keys() - _KNOWN:
        raise ValueError(f"the enumerator does not know {sorted(unknown)}")
    if starts := schedule.get("starts_at"):
        after = max(after, instant(str(starts)) - MICROSECOND)
    if ends := schedule.get("ends_at"):
        until = min(until, instant(str(ends)) - MICROSECOND)
    if after >= until:
        return []
    return list(_slots(schedule, after, until))


def _slots(schedule: Mapping[str, object], after: datetime, until: datetime) -> Iterator[datetime]:
    if "cron" in schedule:
        yield from _cron(str(schedule["cron"]), str(schedule.get("timezone", "UTC")), after, until)
    elif "every_s" in schedule:
        anchor = instant(str(schedule.get("anchor", "1970-01-01T00:00:00Z")))
        every = timedelta(seconds=int(str(schedule["every_s"])))
        slot = anchor + (after - anchor) // every * every
        while slot <= until:
            if slot > after:
                yield slot
            slot += every
    elif "at" in schedule:
        at = instant(str(schedule["at"]))
        if after < at <= until:
            yield at
    else:
        raise ValueError(f"no kind of schedule in {dict(schedule)}")


def _cron(text: str, zone_name: str, after: datetime, until: datetime) -> Iterator[datetime]:
    """Every minute is tried. A time in which the offset moves is refused: this walk has no rules for it."""
    fields, zone = _read_cron(text), ZoneInfo(zone_name)
    first = after.replace(second=0, microsecond=0) + MINUTE
    minutes = [first + n * MINUTE for n in range((until - first) // MINUTE + 1)] if first <= until else []
    for one, following in pairwise(minutes):
        if one.astimezone(zone).utcoffset() != following.astimezone(zone).utcoffset():
            raise ValueError(f"{zone_name} changes its offset at {following}, which this walk does not read")
    yield from (minute for minute in minutes if _fits(fields, minute.astimezone(zone)))


@lru_cache(maxsize=1024)
def _read_cron(text: str) -> tuple[tuple[frozenset[int], bool], ...]:
    """Each field as its numbers, and whether it starts with a star."""
    parts = text.split()
    if len(parts) != len(_BOUNDS):
        raise ValueError(f"{text!r} has not five fields")
    return tuple(
        (_read_field(part, *bounds), part.startswith("*"))
        for part, bounds in zip(parts, _BOUNDS, strict=True)
    )


def _read_field(part: str, low: int, high: int) -> frozenset[int]:
    numbers: set[int] = set()
    for item in part.split(","):
        span, _, step = item.partition("/")
        begin, dash, end = ("*", "", "") if span == "*" else span.partition("-")
        first = low if begin == "*" else int(begin)
        last = int(end) if dash else high if begin == "*" or step else first
        if not low <= first <= last <= high:
            raise ValueError(f"the enumerator does not read {item!r}")
        numbers.update(range(first, last + 1, int(step or 1)))
    return frozenset(numbers)


def _fits(fields: tuple[tuple[frozenset[int], bool], ...], wall: datetime) -> bool:
    (minute, _), (hour, _), (day, any_day), (month, _), (weekday, any_weekday) = fields
    by_day = wall.day in day
    by_weekday = bool(weekday & {wall.isoweekday() % 7, wall.isoweekday()})
    days = (by_day and by_weekday) if any_day or any_weekday else (by_day or by_weekday)
    return wall.minute in minute and wall.hour in hour and wall.month in month and days
