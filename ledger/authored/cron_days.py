"""Which days of a month a cron text names: the two day fields and the rule that joins them.

Apart from `cron.py` because two rooms ask it: the grammar, whether any date fits at all, and the
walk over slots, which days a month has. A month is told by its length and by the weekday of its
first day alone, so a text has at most 28 different months.
"""

from __future__ import annotations

from dataclasses import dataclass

SUNDAY = 0
SATURDAY = 6
_LENGTHS = {2: (28, 29), 4: (30,), 6: (30,), 9: (30,), 11: (30,)}


@dataclass(frozen=True, slots=True)
class DayRule:
    """The day-of-month and day-of-week fields as read; weekdays count from Sunday, 0.

    `both` is Vixie's rule: a day must satisfy both fields (either of them starts with `*` or is `?`),
    else one of them is enough.
    """

    days: frozenset[int]
    weekdays: frozenset[int]
    both: bool
    last_day: bool = False
    nearest: frozenset[int] = frozenset()
    nth: frozenset[tuple[int, int]] = frozenset()
    last: frozenset[int] = frozenset()

    def in_month(self, length: int, first: int) -> tuple[int, ...]:
        """The days, ascending, in a month of `length` days whose day 1 falls on the weekday `first`."""
        by_date = {day for day in self.days if day <= length}
        if self.last_day:
            by_date.add(length)
        by_date.update(_nearest_weekday(day, length, first) for day in self.nearest)
        by_week = {day for day in range(1, length + 1) if (first + day - 1) % 7 in self.weekdays}
        for weekday, nth in self.nth:
            day = 1 + (weekday - first) % 7 + 7 * (nth - 1)
            if day <= length:
                by_week.add(day)
        for weekday in self.last:
            by_week.add(length - (first + length - 1 - weekday) % 7)
        return tuple(sorted(by_date & by_week if self.both else by_date | by_week))

    def fits(self, months: frozenset[int]) -> bool:
        """Whether some date of 2000 to 2199 fits: there, months of each length start on each weekday."""
        return any(
            self.in_month(length, first)
            for month in months
            for length in _LENGTHS.get(month, (31,))
            for first in range(7)
        )


def _nearest_weekday(day: int, length: int, first: int) -> int:
    """The Monday to Friday nearest to `day`, never in another month; `day` is at most 28."""
    weekday = (first + day - 1) % 7
    if weekday == SATURDAY:
        return day - 1 if day > 1 else 3
    if weekday == SUNDAY:
        return day + 1 if day < length else day - 2
    return day
