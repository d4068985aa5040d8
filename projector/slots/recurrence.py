"""The walk over an rrule: the next and the last wall time that it names (RFC 5545).

On wall time alone, in seconds from 1970-01-01T00:00:00 of the wall clock; zones come in `timeline.py`.
A rule is walked year by year, from whatever year is asked for: whether a period counts is told by its
number, so nothing is ever enumerated from the start. Only COUNT needs the way from the start, and it is
gone once, in whole periods, when it is first asked where the rule ends.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from datetime import date, datetime
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from ledger.authored.rrule import RruleText
from projector.slots.rule_days import RuleDays, day_of
from projector.slots.zones import DAY_S, EPOCH_DAY

# No slot lies in a later year, wherever its zone is.
_LAST_YEAR = 2200
_NEVER = day_of(_LAST_YEAR + 1) * DAY_S
_MONDAY = 3  # 1970-01-01 was a Thursday.
_MOST_DAYS = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 31, "YEARLY": 366}
# How many years a rule remembers; a walk stays in one, or goes on to the next.
_MOST_YEARS = 4


class Year(NamedTuple):
    """The days of a rule whose period begins in one year, ascending, and for each which of the times of day
    it has, by number."""

    days: tuple[int, ...]
    picks: list[Sequence[int]]


class Times:
    """The times of day that a rule names, in order, by number; never written out: there may be 86,400."""

    def __init__(self, hours: tuple[int, ...], minutes: tuple[int, ...], seconds: tuple[int, ...]) -> None:
        self.hours = hours
        self.in_hour = tuple(minute * 60 + second for minute in minutes for second in seconds)
        self.all = range(len(self.hours) * len(self.in_hour))

    def at(self, n: int) -> int:
        """The nth time, in seconds of the day."""
        hour, rest = divmod(n, len(self.in_hour))
        return self.hours[hour] * 3600 + self.in_hour[rest]

    def before(self, time: int) -> int:
        """How many times are earlier than a second of the day."""
        hour, rest = divmod(time, 3600)
        h = bisect_left(self.hours, hour)
        whole = h * len(self.in_hour)
        if h < len(self.hours) and self.hours[h] == hour:
            return whole + bisect_left(self.in_hour, rest)
        return whole


class Recurrence:
    """The wall times that an rrule names from its start on, searchable both ways."""

    def __init__(self, rule: RruleText, start: datetime) -> None:
        self.rule = rule
        self.first = _wall(start)
        self._days = RuleDays(rule, start.date())
        self._times = Times(
            rule.hours or (start.hour,), rule.minutes or (start.minute,), rule.seconds or (start.second,)
        )
        # Positions that no period has are none: a rule of such alone is never looked for day by day.
        most = _MOST_DAYS[rule.frequency] * len(self._times.all)
        self._positions = tuple(position for position in rule.positions if abs(position) <= most)
        # How many wall times a period of so many days and times keeps at its positions.
        self._kept: dict[int, int] = {}
        self._years: dict[int, Year] = {}
        self._period = _period_of(rule)
        self._phase = self._period(self.first // DAY_S)

    @cached_property
    def last_wall(self) -> int:
        """The latest wall time that may be one of the rule's: its UNTIL, or its COUNTth."""
        if self.rule.count is not None:
            return self._counted(self.rule.count)
        return _NEVER if self.rule.until is None else min(_wall(self.rule.until), _NEVER)

    def next(self, wall: int) -> int | None:
        """The first wall time at or after `wall`; None where the rule has ended."""
        day, time = divmod(max(wall, self.first), DAY_S)
        found = self._next(day)
        if found is not None and found[0] == day:
            n = bisect_left(found[1], self._times.before(time))
            if n < len(found[1]):
                return self._bounded(day * DAY_S + self._times.at(found[1][n]))
            found = self._next(day + 1)
        return None if found is None else self._bounded(found[0] * DAY_S + self._times.at(found[1][0]))

    def last(self, wall: int) -> int | None:
        """The last wall time at or before `wall`; None before the rule's first."""
        day, time = divmod(min(wall, self.last_wall), DAY_S)
        found = self._last(day)
        if found is not None and found[0] == day:
            n = bisect_left(found[1], self._times.before(time + 1)) - 1
            if n >= 0:
                return self._begun(day * DAY_S + self._times.at(found[1][n]))
            found = self._last(day - 1)
        return None if found is None else self._begun(found[0] * DAY_S + self._times.at(found[1][-1]))

    def next_day(self, day: int) -> int | None:
        """The first day, counted from 1970, at or after `day` on which the rule may name a time."""
        found = self._next(max(day, self.first // DAY_S))
        return found[0] if found is not None and found[0] * DAY_S <= self.last_wall else None

    def has_day(self, day: int) -> bool:
        """Whether the rule may name a time of a day, counted from 1970."""
        return self.next_day(day) == day

    def times(self, day: int) -> int:
        """The times of a day that the rule names, with a bit for each second of the day."""
        found = self._next(day)
        if found is None or found[0] != day:
            return 0
        whole = found[1] is self._times.all
        mask = self._mask if whole else sum(1 << self._times.at(n) for n in found[1])
        if self.first <= day * DAY_S and day * DAY_S + DAY_S <= self.last_wall:
            return mask
        begun = min(max(0, self.first - day * DAY_S), DAY_S)
        ended = min(max(0, self.last_wall + 1 - day * DAY_S), DAY_S)
        return mask >> begun << begun & (1 << ended) - 1

    @cached_property
    def _mask(self) -> int:
        in_hour = sum(1 << second for second in self._times.in_hour)
        return sum(in_hour << hour * 3600 for hour in self._times.hours)

    def _bounded(self, wall: int) -> int | None:
        return wall if wall <= self.last_wall else None

    def _begun(self, wall: int) -> int | None:
        return wall if wall >= self.first else None

    def _next(self, day: int) -> tuple[int, Sequence[int]] | None:
        """The first day at or after `day` that the rule names, and its times; start and end do not count."""
        for number in range(self._year_of(day), _LAST_YEAR + 1):
            year = self._year(number)
            n = bisect_left(year.days, day)
            if n < len(year.days):
                return year.days[n], year.picks[n]
        return None

    def _last(self, day: int) -> tuple[int, Sequence[int]] | None:
        """The last day at or before `day`, but none in a year before the start's."""
        first_year = self._year_of(self.first // DAY_S)
        for number in range(min(self._year_of(day), _LAST_YEAR), first_year - 1, -1):
            year = self._year(number)
            n = bisect_right(year.days, day) - 1
            if n >= 0:
                return year.days[n], year.picks[n]
        return None

    def _year_of(self, day: int) -> int:
        """The year in which the day's period begins: a week belongs to that of its first day."""
        if self.rule.frequency == "WEEKLY":
            day -= (day + _MONDAY - self.rule.week_start) % 7
        return date.fromordinal(day + EPOCH_DAY).year

    def _year(self, number: int) -> Year:
        year = self._years.get(number)
        if year is None:
            if len(self._years) >= _MOST_YEARS:
                self._years.clear()
            year = self._years[number] = self._made(number)
        return year

    def _made(self, number: int) -> Year:
        days = self._in_periods_of(number)
        if not self.rule.positions:
            return Year(days, [self._times.all] * len(days))
        picked: list[tuple[int, list[int]]] = []
        for _, period in groupby(days, self._period):
            picked += self._picked(tuple(period))
        return Year(tuple(day for day, _ in picked), [numbers for _, numbers in picked])

    def _in_periods_of(self, number: int) -> tuple[int, ...]:
        """The days that the day parts name in those periods of a year that the interval keeps."""
        if self.rule.positions and not self._positions:
            return ()
        new_year, following = day_of(number), day_of(number + 1)
        days = tuple(new_year + day for day in self._days.in_year(number))
        if self.rule.frequency == "WEEKLY":
            start = self.rule.week_start
            low, high = (day + (start - _MONDAY - day) % 7 for day in (new_year, following))
            days = tuple(day for day in days if day >= low)
            days += tuple(
                following + day for day in self._days.in_year(number + 1)[:7] if following + day < high
            )
        if self.rule.interval == 1:
            return days
        period, phase, interval = self._period, self._phase, self.rule.interval
        return tuple(day for day in days if (period(day) - phase) % interval == 0)

    def _picked(self, days: tuple[int, ...]) -> list[tuple[int, list[int]]]:
        """BYSETPOS: of all days and times of one period those that stand at the positions."""
        each = len(self._times.all)
        picked: dict[int, list[int]] = {}
        for place in self._places(len(days) * each):
            n, number = divmod(place, each)
            picked.setdefault(days[n], []).append(number)
        return list(picked.items())

    def _places(self, whole: int) -> list[int]:
        """Which of so many days and times of a period stand at the positions, counted from 0, in order."""
        places = {position - 1 if position > 0 else whole + position for position in self._positions}
        return sorted(place for place in places if 0 <= place < whole)

    def _counted(self, count: int) -> int:
        """The wall time that is the rule's COUNTth, counted from its start by years and days."""
        begun, time = divmod(self.first, DAY_S)
        left = count
        first_year = self._year_of(begun)
        for number in range(first_year, _LAST_YEAR + 1):
            if number > first_year and (whole := self._size(number)) < left:
                left -= whole
                continue
            year = self._year(number)
            for day, picks in zip(year.days, year.picks, strict=True):
                if day < begun:
                    continue
                skipped = bisect_left(picks, self._times.before(time)) if day == begun else 0
                if left <= len(picks) - skipped:
                    return day * DAY_S + self._times.at(picks[skipped + left - 1])
                left -= len(picks) - skipped
        return _NEVER

    def _size(self, number: int) -> int:
        """How many wall times the rule names in a year, without writing them out."""
        days, each = self._in_periods_of(number), len(self._times.all)
        if not self.rule.positions:
            return len(days) * each
        size = 0
        for _, period in groupby(days, self._period):
            whole = len(tuple(period)) * each
            if whole not in self._kept:
                self._kept[whole] = len(self._places(whole))
            size += self._kept[whole]
        return size


def _wall(local: datetime) -> int:
    """Seconds from 1970 on the wall clock."""
    day = local.toordinal() - EPOCH_DAY
    return day * DAY_S + local.hour * 3600 + local.minute * 60 + local.second


def _month_number(day: int) -> int:
    when = date.fromordinal(day + EPOCH_DAY)
    return when.year * 12 + when.month


def _period_of(rule: RruleText) -> Callable[[int], int]:
    """What numbers the periods of a rule: of each day, counted from 1970, which one it lies in."""
    match rule.frequency:
        case "DAILY":
            return lambda day: day
        case "WEEKLY":
            return lambda day: (day + _MONDAY - rule.week_start) // 7
        case "MONTHLY":
            return _month_number
        case "YEARLY":
            return lambda day: date.fromordinal(day + EPOCH_DAY).year
