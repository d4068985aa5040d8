"""What a person may not have meant by a schedule: uneven steps, days that months lack, the two day fields.

Each caution says what happens and when. None refuses anything: what is refused, the grammar refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ledger.authored.cron import ALIASES, CronText, read_cron
from ledger.authored.models import PlainSchedule, ScheduleDefinition
from projector.preview.english import each, joined, ordinal
from projector.preview.words import MONTHS, WEEKDAYS

_DAY_S = 86_400
# Months that lack a day, by the day.
_LACKING = {29: (2,), 30: (2,), 31: (2, 4, 6, 9, 11)}


class _Circle(NamedTuple):
    """A field whose steps start again: its first number, how many there are, and how they are said."""

    low: int
    size: int
    unit: str
    name: Callable[[int], str]


_CIRCLES = (
    _Circle(0, 60, "second", lambda n: f"second {n}"),
    _Circle(0, 60, "minute", lambda n: f"minute {n}"),
    _Circle(0, 24, "hour", lambda n: f"{n:02}:00"),
    _Circle(1, 31, "day", lambda n: f"the {ordinal(n)}"),
    _Circle(1, 12, "month", lambda n: MONTHS[n - 1]),
    _Circle(0, 7, "day", lambda n: WEEKDAYS[n]),
)
_STEP = re.compile(r"(?:\*|(?P<number>\d+)|(?P<name>[A-Z]{3}))/(?P<step>\d+)", re.ASCII)


def cautions(schedule: ScheduleDefinition, *, changes: bool) -> list[str]:
    """What is worth knowing before a schedule is relied on. `changes`: clocks change where it is read."""
    found: list[str] = []
    for element in schedule.any or (schedule,):
        found += [each for each in _of(element, changes) if each not in found]
    return found


def _of(schedule: PlainSchedule, changes: bool) -> Iterator[str]:
    if schedule.cron is not None:
        cron = read_cron(schedule.cron, seconds=schedule.seconds)
        yield from uneven_steps(cron)
        yield from _lacking_days(cron)
        yield from _day_rule(cron)
        if cron.real_time and changes:
            what = "a rule with seconds" if cron.has_seconds else "its minute or hour field starts with *"
            yield (
                f"{what}: it follows real time. Where clocks change it runs at every instant whose wall "
                "clock fits, and dst has no effect"
            )
    elif schedule.every_s is not None and schedule.every_s % _DAY_S == 0 and changes:
        yield (
            f"every {each(schedule.every_s)} is real time: its local time of day moves when clocks "
            "change; a cron text stays at one"
        )


def uneven_steps(cron: CronText) -> Iterator[str]:
    """The steps of a cron text that do not tile their field, each with the gap that it leaves."""
    fields = ALIASES.get(cron.text, cron.text).split(" ")
    left = list(cron.uneven)
    for circle, field in zip(_CIRCLES[-len(fields) :], fields, strict=True):
        for item in field.split(","):
            if item in left:
                left.remove(item)
                yield _uneven(circle, item)


def _uneven(circle: _Circle, item: str) -> str:
    match = _STEP.fullmatch(item)
    if match is None:
        raise ValueError(f"{item!r} is no step of a cron text")
    step, first = int(match["step"]), circle.low
    if match["number"] is not None:
        first = int(match["number"]) % 7 if circle.size == 7 else int(match["number"])
    elif match["name"] is not None:
        names = MONTHS if circle.size == 12 else WEEKDAYS
        first = [name[:3].upper() for name in names].index(match["name"]) + circle.low
    last = range(first, circle.low + circle.size, step)[-1]
    if circle.size == 31:
        return f"{item} starts again each month, at {circle.name(first)}, whatever day the last one had"
    gap = circle.size - last + first
    return (
        f"{item} does not tile the {circle.unit}s: after {circle.name(last)} comes {circle.name(first)}, "
        f"{gap} {circle.unit}{'' if gap == 1 else 's'} later, not {step}"
    )


def _lacking_days(cron: CronText) -> Iterator[str]:
    """Days that were named and that some months do not have; a field that starts with `*` names none."""
    field = ALIASES.get(cron.text, cron.text).split(" ")[-3]
    if len(cron.days.days) < 31 and not field.startswith("*"):
        for day in sorted(cron.days.days & _LACKING.keys()):
            months = [month for month in _LACKING[day] if month in cron.months]
            if months:
                yield _lacking(day, [MONTHS[month - 1] for month in months])
    for weekday, nth in sorted(cron.days.nth):
        if nth == 5:
            yield f"most months have no 5th {WEEKDAYS[weekday]}: nothing runs for it there"


def _lacking(day: int, months: list[str]) -> str:
    if day == 29:
        return "February has a 29th in leap years only: in others nothing runs for it; L is the last day"
    has = "has" if len(months) == 1 else "have"
    return f"{joined(months)} {has} no {ordinal(day)}: nothing runs for it there; L is the last day"


def _day_rule(cron: CronText) -> Iterator[str]:
    """Where both day fields are given it surprises how they are joined."""
    fields = ALIASES.get(cron.text, cron.text).split(" ")
    if fields[-3] in ("*", "?") or fields[-1] in ("*", "?"):
        return
    if cron.days.both:
        yield "both day fields are given and one starts with *: a day must fit both"
    else:
        yield "both day fields are given and none starts with *: a day that fits either of them is enough"
