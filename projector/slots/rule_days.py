"""The only door of dateutil: it says which days of a year the day parts of an rrule name.

dateutil is handed a plain yearly rule that is made here, never a text of a person's, a zone, an interval,
a count or a position: where it reads those otherwise than RFC 5545 nobody asks it. A year is told by its
length and the weekday on which it begins, so a rule is asked about fourteen years at most, whatever it
says. The walk over periods is the project's own (`recurrence.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from dateutil.rrule import rrulestr

from ledger.authored.rrule import ByDay, RruleText
from projector.slots.zones import EPOCH_DAY

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_MONTHS = tuple(range(1, 13))
_EVERY_DAY = tuple(ByDay(weekday, 0) for weekday in range(7))
# No month has a sixth Monday; dateutil looks for one beyond the end of its tables.
_MOST_IN_MONTH = 5


class RuleDays:
    """The days that the day parts of an rrule name, whatever its interval, year by year."""

    def __init__(self, rule: RruleText, start: date) -> None:
        self.rule = _completed(rule, start)
        self._shapes: dict[tuple[bool, int], tuple[int, ...]] = {}

    def in_year(self, year: int) -> tuple[int, ...]:
        """The days of a year, ascending, New Year 0."""
        first = date(year, 1, 1)
        shape = (date(year, 12, 31).toordinal() - first.toordinal() == 365, first.weekday())
        days = self._shapes.get(shape)
        if days is None:
            days = self._shapes[shape] = _asked(self.rule, year)
        return days


def _completed(rule: RruleText, start: date) -> RruleText:
    """The rule with the day parts that it leaves to its start; a monthly one names all its months."""
    if not (rule.month_days or rule.year_days or rule.days):
        if rule.frequency in ("YEARLY", "MONTHLY"):
            rule = replace(rule, month_days=(start.day,))
            if rule.frequency == "YEARLY" and not rule.months:
                rule = replace(rule, months=(start.month,))
        else:
            weekly = rule.frequency == "WEEKLY"
            rule = replace(rule, days=(ByDay(start.weekday(), 0),) if weekly else _EVERY_DAY)
    if rule.frequency == "MONTHLY" and not rule.months:
        rule = replace(rule, months=_MONTHS)
    return rule


def _asked(rule: RruleText, year: int) -> tuple[int, ...]:
    """dateutil's answer. Numbered weekdays and plain ones are asked for apart: it takes a day only if both
    name it, where RFC 5545 means either."""
    plain = [day for day in rule.days if day.nth == 0]
    most = _MOST_IN_MONTH if rule.months else 53
    numbered = [day for day in rule.days if day.nth and abs(day.nth) <= most]
    days: set[int] = set()
    for weekdays in (plain, numbered) if rule.days else ((),):
        if weekdays or not rule.days:
            days.update(_in_year(rule, weekdays, year))
    return tuple(sorted(days))


def _in_year(rule: RruleText, weekdays: Sequence[ByDay], year: int) -> list[int]:
    parts = {
        "BYMONTH": map(str, rule.months),
        "BYMONTHDAY": map(str, rule.month_days),
        "BYYEARDAY": map(str, rule.year_days),
        "BYDAY": (f"{day.nth or ''}{_WEEKDAYS[day.weekday]}" for day in weekdays),
    }
    lists = {name: ",".join(items) for name, items in parts.items()}
    text = ";".join(f"{name}={items}" for name, items in lists.items() if items)
    # Wall times have no zone, here as everywhere in a rule.
    first = datetime(year, 1, 1)  # noqa: DTZ001
    # Its interval ends the rule after the one year; an UNTIL would not where the year has no day.
    walls = rrulestr(f"FREQ=YEARLY;INTERVAL=9999;{text}", dtstart=first)
    begun = first.date().toordinal()
    return [wall.toordinal() - begun for wall in walls]


def day_of(year: int) -> int:
    """New Year, counted from 1970."""
    return date(year, 1, 1).toordinal() - EPOCH_DAY
