"""An rrule in words, made from what the grammar read and from the start that it goes by (RFC 5545)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger.authored.rrule import RruleText
from projector.preview.english import counted, joined, ordinal, runs

_UNITS = {"YEARLY": "year", "MONTHLY": "month", "WEEKLY": "week", "DAILY": "day"}
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LISTED = 6


def rrule_words(rule: RruleText, start: datetime, months: Sequence[str]) -> str:
    """A rule in words; `months` are the names of the twelve months."""
    said = [f"every {counted(rule.interval, _UNITS[rule.frequency])}"]
    days = _days(rule, start)
    if days:
        said.append(f"on {days}")
    named = rule.months
    if rule.frequency == "YEARLY" and not (named or rule.month_days or rule.year_days or rule.days):
        named = (start.month,)
    if named:
        said.append(f"in {joined(runs(named, lambda month: months[month - 1]))}")
    said.append(_times(rule, start))
    if rule.positions:
        said.append(
            f"of these only {joined([_counted_from(n, '') for n in _forward(rule.positions)])} of each period"
        )
    if rule.frequency == "WEEKLY" and rule.interval > 1 and rule.week_start:
        said.append(f"weeks beginning on {_WEEKDAYS[rule.week_start]}")
    said.append(f"from {start.isoformat(' ')} on")
    if rule.count is not None:
        said.append("once" if rule.count == 1 else f"{rule.count} times")
    if rule.until is not None:
        said.append(f"until {rule.until.isoformat(' ')}, which counts")
    return ", ".join(said)


def _days(rule: RruleText, start: datetime) -> str:
    """The days that a rule names, or, where it names none, those that its start stands for."""
    kinds = []
    if rule.days:
        whole = "year" if rule.frequency == "YEARLY" and not rule.months else "month"
        said = runs([day.weekday for day in rule.days if not day.nth], lambda day: _WEEKDAYS[day])
        numbered = [_counted_from(day.nth, _WEEKDAYS[day.weekday]) for day in rule.days if day.nth]
        if numbered:
            numbered[-1] += f" of the {whole}"
        kinds.append(said + numbered)
    if rule.month_days:
        kinds.append(
            _of([_counted_from(day, "day" if day < 0 else "") for day in _forward(rule.month_days)], "month")
        )
    if rule.year_days:
        kinds.append(_of([_counted_from(day, "day") for day in _forward(rule.year_days)], "year"))
    if not kinds:
        if rule.frequency == "WEEKLY":
            return _WEEKDAYS[start.weekday()]
        return "" if rule.frequency == "DAILY" else f"the {ordinal(start.day)} of the month"
    if len(kinds) == 1:
        return joined(kinds[0])
    return f"the days that are both {' and '.join(joined(kind, 'or') for kind in kinds)}"


def _forward(numbers: Sequence[int]) -> list[int]:
    """Those counted from the beginning first."""
    return sorted(numbers, key=lambda n: (n < 0, n))


def _of(days: list[str], whole: str) -> list[str]:
    return [*days[:-1], f"{days[-1]} of the {whole}"]


def _counted_from(n: int, what: str) -> str:
    """`the 2nd Friday`, `the last day`, `the 2nd last`."""
    said = ordinal(n) if n > 0 else "last" if n == -1 else f"{ordinal(-n)} last"
    return f"the {said} {what}" if what else f"the {said}"


def _times(rule: RruleText, start: datetime) -> str:
    hours, minutes = rule.hours or (start.hour,), rule.minutes or (start.minute,)
    seconds = rule.seconds or (start.second,)
    if len(hours) * len(minutes) * len(seconds) > _LISTED:
        parts = [
            f"{unit if len(numbers) == 1 else f'{unit}s'} {joined(runs(numbers, str))}"
            for unit, numbers in (("hour", hours), ("minute", minutes), ("second", seconds))
        ]
        return f"at {joined(parts)}"
    tail = [f":{second:02}" if seconds != (0,) else "" for second in seconds]
    return "at " + joined([f"{h:02}:{m:02}{s}" for h in hours for m in minutes for s in tail])
