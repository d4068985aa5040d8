"""A schedule in words, made from what the project's own grammar read and never from a text's signs.

So the words cannot say something else than the slots do: what joins the two day fields of a cron text, and
which of its steps restart, is asked of the very object that the walk asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger.authored.cron import CronText, read_cron
from ledger.authored.cron_days import DayRule
from ledger.authored.models import ExcludeDefinition, PlainSchedule, ScheduleDefinition
from ledger.authored.rrule import read_rrule
from ledger.facts import instant_text
from projector.preview.english import counted, duration, each, joined, ordinal, runs, stepped, tiling
from projector.preview.rrule_words import rrule_words

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
# From Sunday, as the grammar counts.
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
# So many times of a day are listed; more are told by their rule.
_LISTED = 6


def schedule_words(schedule: ScheduleDefinition) -> str:
    """A whole schedule in words: its rule, and what bounds it."""
    if schedule.any is None:
        said = [plain_words(schedule)]
    else:
        named = any(zoned(element) and element.timezone != schedule.timezone for element in schedule.any)
        each_said = [
            plain_words(element) + (f" ({element.timezone})" if named and zoned(element) else "")
            for element in schedule.any
        ]
        said = ["whichever comes: " + "; or ".join(each_said)]
    if schedule.starts_at is not None:
        said.append(f"not before {_instant(schedule.starts_at)}")
    if schedule.ends_at is not None:
        said.append(f"before {_instant(schedule.ends_at)}")
    if schedule.exclude:
        said.append(f"except {joined([_exclusion(element) for element in schedule.exclude])}")
    if schedule.spread_s:
        said.append(f"each run started up to {duration(schedule.spread_s)} after its slot")
    return ", ".join(said)


def zoned(schedule: PlainSchedule) -> bool:
    """Whether a rule is read on a wall clock, so that its zone matters."""
    return schedule.cron is not None or schedule.rrule is not None


def plain_words(schedule: PlainSchedule) -> str:
    """One rule in words."""
    if schedule.cron is not None:
        return cron_words(read_cron(schedule.cron, seconds=schedule.seconds))
    if schedule.every_s is not None:
        return f"every {each(schedule.every_s)}, counted from {_instant(schedule.anchor)}"
    if schedule.at is not None:
        return f"once, at {_instant(schedule.at)}"
    start = datetime.fromisoformat(schedule.start or "")
    return rrule_words(read_rrule(schedule.rrule or ""), start, MONTHS)


def cron_words(cron: CronText) -> str:
    """A cron text in words: its times, its days, its months."""
    days = day_words(cron.days)
    if days == "every day" and len(cron.hours) == 24:
        days = ""
    months = "" if len(cron.months) == 12 else f"in {joined(runs(cron.months, _month))}"
    return ", ".join(part for part in (_times(cron), days, months) if part)


def _times(cron: CronText) -> str:
    if cron.seconds == (0,):
        return _minutes_and_hours(cron)
    times = len(cron.seconds) * len(cron.minutes) * len(cron.hours)
    if times <= _LISTED:
        return "at " + joined(
            [
                f"{hour:02}:{minute:02}:{second:02}"
                for hour in cron.hours
                for minute in cron.minutes
                for second in cron.seconds
            ]
        )
    step = tiling(cron.seconds, 60)
    if step is not None and cron.seconds[0] == 0:
        said = f"every {counted(step, 'second')}"
    else:
        said = f"at {_numbered('second', cron.seconds)} of the minute"
    whole = len(cron.minutes) == 60 and len(cron.hours) == 24
    return said if whole else f"{said}, in these minutes: {_minutes_and_hours(cron)}"


def _minutes_and_hours(cron: CronText) -> str:
    minutes, hours = cron.minutes, cron.hours
    if len(minutes) * len(hours) <= _LISTED:
        return "at " + joined([f"{hour:02}:{minute:02}" for hour in hours for minute in minutes])
    step = tiling(minutes, 60)
    if len(hours) == 24:
        if len(minutes) == 1:
            return f"every hour at minute {minutes[0]}"
        return (
            _every_minutes(step, minutes[0]) if step else f"at {_numbered('minute', minutes)} of every hour"
        )
    if len(minutes) == 1:
        return _one_minute(hours, minutes[0])
    if step and minutes[0] == 0 and _in_a_row(hours):
        return f"every {counted(step, 'minute')} from {hours[0]:02}:00 to {hours[-1]:02}:{minutes[-1]:02}"
    said = _every_minutes(step, minutes[0]) if step else f"at {_numbered('minute', minutes)}"
    return f"{said}, in {_numbered('hour', hours)}"


def _every_minutes(step: int, first: int) -> str:
    return f"every {counted(step, 'minute')}" + (f" from minute {first}" if first else "")


def _one_minute(hours: Sequence[int], minute: int) -> str:
    """More hours than are listed, at one minute of each."""
    step = tiling(hours, 24)
    if step:
        return f"every {counted(step, 'hour')} from {hours[0]:02}:{minute:02}"
    if _in_a_row(hours):
        return f"every hour from {hours[0]:02}:{minute:02} to {hours[-1]:02}:{minute:02}"
    return f"at minute {minute} of {_numbered('hour', hours)}"


def _in_a_row(hours: Sequence[int]) -> bool:
    return hours[-1] - hours[0] == len(hours) - 1


def day_words(rule: DayRule) -> str:
    """The days of a cron text, joined as Vixie's rule joins the two fields."""
    dates, weekdays = _dates(rule), _weekdays(rule)
    if rule.both:
        if dates and weekdays:
            return f"on the days that are both {joined(weekdays, 'or')} and {joined(dates, 'or')}"
        named = [*dates, *weekdays]
        return f"on {joined(named)}" if named else "every day"
    if not dates or not weekdays:
        return "every day"
    return f"on {joined(dates)}, and also on every {joined(weekdays, 'and every')}"


def _dates(rule: DayRule) -> list[str]:
    """The day-of-month field; empty where it names every day."""
    if len(rule.days) == 31:
        return []
    plain = sorted(rule.days)
    step = stepped(plain)
    if step is not None:
        said = [f"every {ordinal(step)} day from the {ordinal(plain[0])} to the {ordinal(plain[-1])}"]
    else:
        said = runs(plain, lambda day: f"the {ordinal(day)}")
    said += [f"the weekday nearest to the {ordinal(day)}" for day in sorted(rule.nearest)]
    if rule.last_day:
        said.append("the last day")
    said[-1] += " of the month"
    return said


def _weekdays(rule: DayRule) -> list[str]:
    """The day-of-week field, the week from Monday; empty where it names every day."""
    if len(rule.weekdays) == 7:
        return []
    said = runs(sorted((day - 1) % 7 for day in rule.weekdays), lambda n: WEEKDAYS[(n + 1) % 7])
    special = [(nth, day, f"the {ordinal(nth)} {WEEKDAYS[day]}") for day, nth in rule.nth]
    special += [(9, day, f"the last {WEEKDAYS[day]}") for day in rule.last]
    said += [text for _, _, text in sorted(special)]
    if special:
        said[-1] += " of the month"
    return said


def _exclusion(element: ExcludeDefinition) -> str:
    if element.on is not None:
        return element.on if len(element.on) == len("YYYY-MM-DD") else f"{element.on} of every year"
    return f"{_instant(element.from_)} to {_instant(element.to)}" if element.from_ and element.to else ""


def _instant(when: datetime) -> str:
    return instant_text(when).replace(".000000Z", "Z")


def _month(month: int) -> str:
    return MONTHS[month - 1]


def _numbered(unit: str, numbers: Sequence[int]) -> str:
    """`the minutes 1, 5 and 7 to 9`, or `every 7th minute from 0 to 56`."""
    step = stepped(numbers)
    if step is not None:
        return f"every {ordinal(step)} {unit} from {numbers[0]} to {numbers[-1]}"
    return f"{unit if len(numbers) == 1 else f'the {unit}s'} {joined(runs(numbers, str))}"
