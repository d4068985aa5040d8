"""The walk over the fields of a cron text: the next and the last wall time that it names.

On wall time alone, in seconds from 1970-01-01T00:00:00 of the wall clock; zones come in `timeline.py`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import date

from ledger.authored.cron_days import DayRule
from projector.slots.zones import DAY_S, EPOCH_DAY

_FIRST_YEAR = 1799
_LAST_YEAR = 2200
_LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_THURSDAY = 4  # The weekday of 1970-01-01, from Sunday.


class Pattern:
    """The wall times that a cron text names, searchable both ways."""

    def __init__(
        self,
        seconds: tuple[int, ...],
        minutes: tuple[int, ...],
        hours: tuple[int, ...],
        months: tuple[int, ...],
        days: DayRule,
    ) -> None:
        self.hours = hours
        self.in_hour = tuple(minute * 60 + second for minute in minutes for second in seconds)
        self.months = months
        self.days = days
        self._first_time = hours[0] * 3600 + self.in_hour[0]
        self._last_time = hours[-1] * 3600 + self.in_hour[-1]
        self._times: int | None = None
        # Days of a month by its length and the weekday of its first day, made when first asked for.
        self._shapes: list[tuple[int, ...] | None] = [None] * 28

    def next(self, wall: int) -> int | None:
        """The first wall time at or after `wall`; None past the years that slots have."""
        day, time = divmod(wall, DAY_S)
        found = self.next_day(day)
        if found == day:
            hours, in_hour = self.hours, self.in_hour
            hour, rest = divmod(time, 3600)
            h = bisect_left(hours, hour)
            if h < len(hours) and hours[h] == hour:
                n = bisect_left(in_hour, rest)
                if n < len(in_hour):
                    return wall - rest + in_hour[n]
                h += 1
            if h < len(hours):
                return day * DAY_S + hours[h] * 3600 + in_hour[0]
            found = self.next_day(day + 1)
        return None if found is None else found * DAY_S + self._first_time

    def last(self, wall: int) -> int | None:
        """The last wall time at or before `wall`; None before the years that slots have."""
        day, time = divmod(wall, DAY_S)
        found = self._last_day(day)
        if found == day:
            hours, in_hour = self.hours, self.in_hour
            hour, rest = divmod(time, 3600)
            h = bisect_right(hours, hour) - 1
            if h >= 0 and hours[h] == hour:
                n = bisect_right(in_hour, rest) - 1
                if n >= 0:
                    return wall - rest + in_hour[n]
                h -= 1
            if h >= 0:
                return day * DAY_S + hours[h] * 3600 + in_hour[-1]
            found = self._last_day(day - 1)
        return None if found is None else found * DAY_S + self._last_time

    def has_day(self, day: int) -> bool:
        """Whether the text names a day, counted from 1970."""
        return self.next_day(day) == day

    def times(self, day: int) -> int:
        """The times of a day that the text names, with a bit for each second of the day."""
        if not self.has_day(day):
            return 0
        if self._times is None:
            in_hour = sum(1 << second for second in self.in_hour)
            self._times = sum(in_hour << hour * 3600 for hour in self.hours)
        return self._times

    def next_day(self, day: int) -> int | None:
        """The first day, counted from 1970, at or after `day` that the text names; None past the years."""
        when = date.fromordinal(day + EPOCH_DAY)
        year, month = when.year, when.month
        m = bisect_left(self.months, month)
        if m < len(self.months) and self.months[m] == month:
            before = day - when.day
            days = self._month(year, month, before)
            n = bisect_left(days, when.day)
            if n < len(days):
                return before + days[n]
            m += 1
        while True:
            if m == len(self.months):
                m, year = 0, year + 1
            if year > _LAST_YEAR:
                return None
            before = date(year, self.months[m], 1).toordinal() - EPOCH_DAY - 1
            days = self._month(year, self.months[m], before)
            if days:
                return before + days[0]
            m += 1

    def _last_day(self, day: int) -> int | None:
        when = date.fromordinal(day + EPOCH_DAY)
        year, month = when.year, when.month
        m = bisect_right(self.months, month) - 1
        if m >= 0 and self.months[m] == month:
            before = day - when.day
            days = self._month(year, month, before)
            n = bisect_right(days, when.day) - 1
            if n >= 0:
                return before + days[n]
            m -= 1
        while True:
            if m < 0:
                m, year = len(self.months) - 1, year - 1
            if year < _FIRST_YEAR:
                return None
            before = date(year, self.months[m], 1).toordinal() - EPOCH_DAY - 1
            days = self._month(year, self.months[m], before)
            if days:
                return before + days[-1]
            m -= 1

    def _month(self, year: int, month: int, before: int) -> tuple[int, ...]:
        """The days of a month; `before` is the last day of the month before it, counted from 1970."""
        length = _LENGTHS[month]
        if month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0):
            length = 29
        first = (before + 1 + _THURSDAY) % 7
        shape = (length - 28) * 7 + first
        days = self._shapes[shape]
        if days is None:
            days = self._shapes[shape] = self.days.in_month(length, first)
        return days
