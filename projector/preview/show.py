"""The next slots of a schedule as lines to be read by a person, or by a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import NamedTuple

from ledger.authored.models import ScheduleDefinition
from projector.preview.cautions import cautions
from projector.preview.clocks import Clocks, Dropped, changed, changes
from projector.preview.words import WEEKDAYS, schedule_words, zoned
from projector.slots import Slots, schedule_of
from projector.slots.schedule import SLOTS_END, microseconds
from projector.slots.sources import SECOND_US, Source, UnionSource, WallSource
from projector.slots.zones import DAY_S, zone

_YEAR_S = 366 * DAY_S


@dataclass(frozen=True, slots=True)
class Line:
    """A slot, in UTC and on the wall clock; or, where `slot` is None, a wall time that has none.

    `timezone` is whose wall clock it is, `offset` that clock's at the slot. `remarks` say what changing
    clocks did.
    """

    slot: datetime | None
    local: datetime
    timezone: str
    weekday: str
    offset: timedelta | None
    remarks: tuple[str, ...]


class _Rule(NamedTuple):
    """One rule of a schedule: the zone that its slots are told in, the slots, and its clocks, if any."""

    timezone: str
    source: Source
    clocks: Clocks | None


@dataclass(frozen=True, slots=True)
class Preview:
    """A schedule shown. `zones` are those that local times are in: more than one in some unions. `ended` says
    that no slot comes after the last line.
    """

    timezone: str
    zones: tuple[str, ...]
    words: str
    cautions: tuple[str, ...]
    start: datetime
    lines: tuple[Line, ...]
    ended: bool


def preview(schedule: ScheduleDefinition, start: datetime, count: int) -> Preview:
    """The first `count` slots of a schedule at or after `start`, and what is to be known of them.

    Raises what `schedule_of` raises.
    """
    slots = schedule_of(schedule)
    begin = microseconds(start)
    seconds = begin // SECOND_US
    found: list[int] = []
    slot = slots.after(begin - 1)
    while slot is not None and len(found) < count:
        found.append(slot)
        slot = slots.after(slot)
    last = found[-1] if slot is not None and found else SLOTS_END
    rules = list(_rules(schedule, slots))
    lines = [(us, line) for us, line in _slot_lines(rules, found)]
    lines += [
        (one.at * SECOND_US, _dropped_line(one, timezone))
        for one, timezone in _dropped(
            slots, rules, seconds, min(last, _horizon(found, begin)) // SECOND_US + 1
        )
    ]
    return Preview(
        schedule.timezone,
        tuple(dict.fromkeys(rule.timezone for rule in rules)),
        schedule_words(schedule),
        tuple(cautions(schedule, changes=_any_changes(schedule, seconds))),
        start,
        tuple(line for _, line in sorted(lines, key=lambda pair: (pair[0], pair[1].slot is not None))),
        slot is None,
    )


def _horizon(found: list[int], begin: int) -> int:
    """Up to where dropped times are looked for when the series ends: a year after its last slot."""
    return (found[-1] if found else begin) + _YEAR_S * SECOND_US


def _any_changes(schedule: ScheduleDefinition, start: int) -> bool:
    names = {element.timezone for element in schedule.any or (schedule,)}
    return any(changes(zone(name), start, start + _YEAR_S) for name in names)


def _rules(schedule: ScheduleDefinition, slots: Slots) -> Iterator[_Rule]:
    elements = schedule.any or (schedule,)
    sources = slots.source.sources if isinstance(slots.source, UnionSource) else (slots.source,)
    for element, source in zip(elements, sources, strict=True):
        clocks = Clocks(element, source) if isinstance(source, WallSource) else None
        yield _Rule(element.timezone if zoned(element) else schedule.timezone, source, clocks)


def _slot_lines(rules: list[_Rule], found: list[int]) -> Iterator[tuple[int, Line]]:
    before: dict[str, int] = {}
    for us in found:
        seconds = us // SECOND_US
        # Where several rules have the slot, it is told in the zone of the first.
        name = next(rule.timezone for rule in rules if rule.source.after(us - 1) == us)
        where = zone(name)
        remarks = [remark for rule in rules if rule.clocks for remark in rule.clocks.remarks(seconds)]
        if not remarks and name in before and (change := changed(where, before[name], seconds)):
            remarks = [change]
        offset = timedelta(seconds=where.offset_at(seconds))
        slot = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)
        local = slot.astimezone(timezone(offset)).replace(tzinfo=None)
        yield us, Line(slot, local, name, _weekday(local), offset, tuple(dict.fromkeys(remarks)))
        before[name] = seconds


def _dropped(slots: Slots, rules: list[_Rule], start: int, end: int) -> Iterator[tuple[Dropped, str]]:
    """Wall times without a slot, but those that bounds and exclusions take out anyway."""
    for rule in rules:
        for one in rule.clocks.dropped(start, end) if rule.clocks else ():
            us = one.at * SECOND_US
            out = slots.exclusions.around(us) if slots.exclusions is not None else None
            if slots.start <= us < slots.end and out is None:
                yield one, rule.timezone


def _dropped_line(one: Dropped, timezone: str) -> Line:
    local = datetime(1970, 1, 1) + timedelta(seconds=one.wall)  # noqa: DTZ001 - a wall time has no zone
    return Line(None, local, timezone, _weekday(local), None, (one.why,))


def _weekday(local: datetime) -> str:
    return WEEKDAYS[local.isoweekday() % 7]
