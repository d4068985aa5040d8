"""From an authored schedule to its slots. Memoised: ten thousand tasks of one text cost one reading."""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache

from ledger.authored.cron import read_cron
from ledger.authored.models import ExcludeDefinition, PlainSchedule, ScheduleDefinition
from ledger.authored.rrule import read_rrule
from ledger.errors import Misconfigured
from projector.slots.exclusions import Exclusions
from projector.slots.fields import check_fields
from projector.slots.recurrence import Recurrence
from projector.slots.schedule import SLOTS_BEGIN, SLOTS_END, Slots, microseconds
from projector.slots.sources import SECOND_US, AtSource, EverySource, Source, UnionSource, WallSource
from projector.slots.timeline import Reading, timeline
from projector.slots.walk import Pattern
from projector.slots.zones import Zone, zone

# The slots of the very objects that were asked for before: a claim asks for those that it has parsed, and to
# compare a schedule with an equal one takes longer than all else that a claim asks of it.
_seen: dict[int, tuple[ScheduleDefinition, Slots]] = {}
_SEEN_MOST = 32_768


def schedule_of(definition: ScheduleDefinition) -> Slots:
    """The slots of a schedule; equal schedules share one answer. Raises what `read_schedule` raises."""
    seen = _seen.get(id(definition))
    if seen is not None and seen[0] is definition:
        return seen[1]
    # One interval, or one instant, is read sooner than an equal one is found.
    plain = definition.every_s is not None or definition.at is not None
    slots = read_schedule.__wrapped__(definition) if plain else read_schedule(definition)
    if len(_seen) >= _SEEN_MOST:
        _seen.clear()
    _seen[id(definition)] = (definition, slots)
    return slots


@lru_cache(maxsize=4096)
def read_schedule(definition: ScheduleDefinition) -> Slots:
    """The slots of a schedule, read once for all that are equal.

    Raises Misconfigured if the installed tzdata lacks the zone or the installed croniter reads the text
    otherwise.
    """
    if definition.any is None:
        source = _source(definition)
    else:
        source = UnionSource(tuple(_source(element) for element in definition.any))
    return Slots(
        source,
        start=SLOTS_BEGIN if definition.starts_at is None else microseconds(definition.starts_at),
        end=SLOTS_END if definition.ends_at is None else microseconds(definition.ends_at),
        exclusions=_exclusions(definition.exclude, zone(definition.timezone)) if definition.exclude else None,
    )


def _source(schedule: PlainSchedule) -> Source:
    if schedule.cron is not None:
        return _cron_source(schedule, schedule.cron)
    if schedule.every_s is not None:
        return EverySource(microseconds(schedule.anchor), schedule.every_s * SECOND_US)
    if schedule.at is not None:
        return AtSource(microseconds(schedule.at))
    if schedule.rrule is not None and schedule.start is not None:
        recurrence = Recurrence(read_rrule(schedule.rrule), datetime.fromisoformat(schedule.start))
        return WallSource(recurrence, timeline(zone(schedule.timezone), _fixed(schedule)))
    raise Misconfigured("a schedule of no kind stands in the ledger; run the release that wrote it")


def _fixed(schedule: PlainSchedule) -> Reading:
    """How fixed wall times are read: as the author says."""
    return Reading(False, schedule.dst.gap, schedule.dst.overlap)


def _cron_source(schedule: PlainSchedule, text: str) -> WallSource:
    cron = read_cron(text, seconds=schedule.seconds)
    check_fields(cron)
    pattern = Pattern(cron.seconds, cron.minutes, cron.hours, cron.months, cron.days)
    reading = Reading(True) if cron.real_time else _fixed(schedule)
    return WallSource(pattern, timeline(zone(schedule.timezone), reading))


def _exclusions(elements: tuple[ExcludeDefinition, ...], where: Zone) -> Exclusions:
    days = [element.on for element in elements if element.on is not None]
    spans = sorted(
        (microseconds(element.from_), microseconds(element.to))
        for element in elements
        if element.from_ is not None and element.to is not None
    )
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return Exclusions(
        where,
        days=frozenset(date.fromisoformat(day) for day in days if len(day) == len("YYYY-MM-DD")),
        yearly=frozenset((int(day[:2]), int(day[3:])) for day in days if len(day) == len("MM-DD")),
        spans=tuple(merged),
    )
