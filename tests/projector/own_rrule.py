"""RFC 5545 by enumeration: every period from the start on, every day and time in it. Slow and plain.

It shares nothing with the product and knows no dateutil: what BYDAY's numbers count, what the start fills
in and which parts of a period there are is read off the RFC's table for FREQ, line by line.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from tests.projector.second_engine import EPOCH, SECOND, SecondEngine

DAY = timedelta(days=1)
WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


class OwnRule:
    """An rrule and its start; `walls` are its wall times, naive."""

    def __init__(self, text: str, start: datetime) -> None:
        self.parts = dict(part.split("=") for part in text.removeprefix("RRULE:").split(";"))
        self.frequency = self.parts["FREQ"]
        self.start = start
        self.week_start = WEEKDAYS.index(self.parts.get("WKST", "MO"))
        self.months = self._numbers("BYMONTH")
        self.month_days = self._numbers("BYMONTHDAY")
        self.year_days = self._numbers("BYYEARDAY")
        self.days = self.parts["BYDAY"].split(",") if "BYDAY" in self.parts else []
        self._fill_in()
        self.times = sorted(
            time(hour, minute, second)
            for hour in set(self._numbers("BYHOUR") or [start.hour])
            for minute in set(self._numbers("BYMINUTE") or [start.minute])
            for second in set(self._numbers("BYSECOND") or [start.second])
        )

    def _numbers(self, name: str) -> list[int]:
        return [int(number) for number in self.parts[name].split(",")] if name in self.parts else []

    def _fill_in(self) -> None:
        """What the rule does not say its start does: a day of the year, of the month, of the week."""
        if self.month_days or self.year_days or self.days or self.frequency == "DAILY":
            return
        if self.frequency == "WEEKLY":
            self.days = [WEEKDAYS[self.start.weekday()]]
        else:
            self.month_days = [self.start.day]
        if self.frequency == "YEARLY" and not self.months:
            self.months = [self.start.month]

    def walls(self, until: datetime) -> Iterator[datetime]:
        """The wall times up to `until`, in order."""
        last = datetime.fromisoformat(self.parts["UNTIL"]) if "UNTIL" in self.parts else until
        left = int(self.parts.get("COUNT", 10**9))
        positions = self._numbers("BYSETPOS")
        for days in self._periods(min(last, until).date()):
            found = [datetime.combine(day, at) for day in days if self._has(day) for at in self.times]
            if positions:
                kept = {n - 1 if n > 0 else len(found) + n for n in positions}
                found = [wall for n, wall in enumerate(found) if n in kept]
            for wall in found:
                if wall < self.start:
                    continue
                if left == 0 or wall > last or wall > until:
                    return
                left -= 1
                yield wall

    def _periods(self, last: date) -> Iterator[list[date]]:
        """The days of each period that the interval keeps, from the start's on."""
        step = int(self.parts.get("INTERVAL", "1"))
        day = self.start.date()
        n = 0
        if self.frequency == "DAILY":
            while day <= last:
                yield [day]
                day += step * DAY
        elif self.frequency == "WEEKLY":
            while day.weekday() != self.week_start:
                day -= DAY
            while day <= last:
                yield [day + n * DAY for n in range(7)]
                day += 7 * step * DAY
        elif self.frequency == "MONTHLY":
            while (
                first := date(day.year + (day.month - 1 + n) // 12, (day.month - 1 + n) % 12 + 1, 1)
            ) <= last:
                yield [first + d * DAY for d in range(calendar.monthrange(first.year, first.month)[1])]
                n += step
        else:
            while day.year + n <= last.year:
                first = date(day.year + n, 1, 1)
                yield [first + d * DAY for d in range(366 if calendar.isleap(first.year) else 365)]
                n += step

    def _has(self, day: date) -> bool:
        """Whether every BY part for days that stands names the day."""
        if self.months and day.month not in self.months:
            return False
        if self.days and not any(self._is(day, item) for item in self.days):
            return False
        if self.month_days:
            length = calendar.monthrange(day.year, day.month)[1]
            if not {day.day, day.day - length - 1} & set(self.month_days):
                return False
        if self.year_days:
            length, place = 366 if calendar.isleap(day.year) else 365, day.timetuple().tm_yday
            return bool({place, place - length - 1} & set(self.year_days))
        return True

    def _is(self, day: date, item: str) -> bool:
        """One item of BYDAY. Its number counts within the month (MONTHLY, or BYMONTH stands) or the year."""
        if WEEKDAYS[day.weekday()] != item[-2:]:
            return False
        if len(item) == 2:
            return True
        if self.frequency == "MONTHLY" or self.months:
            place, length = day.day, calendar.monthrange(day.year, day.month)[1]
        else:
            place, length = day.timetuple().tm_yday, 366 if calendar.isleap(day.year) else 365
        nth = int(item[:-2])
        return (place + 6) // 7 == nth if nth > 0 else (length - place + 7) // 7 == -nth


class RuleEngine(SecondEngine):
    """The slots of an rrule in a zone: each wall time is a fixed one, resolved by zoneinfo."""

    def __init__(self, rule: OwnRule, zone: str, gap: str, overlap: str) -> None:
        self.rule = rule
        self.real_time = False
        self._look(zone, gap, overlap)

    def _walls(self, low: int, high: int) -> Iterator[int]:
        last = (EPOCH + high * SECOND).replace(tzinfo=None)
        for local in self.rule.walls(last):
            wall = int((local.replace(tzinfo=UTC) - EPOCH).total_seconds())
            if low <= wall < high:
                yield wall
