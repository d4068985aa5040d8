"""The next slots of a schedule as lines to be read by a person, or by a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from ledger.authored.models import ScheduleDefinition
from projector.preview.cautions import cautions
from projector.preview.clocks import Clocks, Dropped, changed, changes
from projector.preview.words import WEEKDAYS, schedule_words
from projector.slots import Slots, schedule_of
from projector.slots.schedule import SLOTS_END, microseconds
from projector.slots.sources import SECOND_US, UnionSource, WallSource
from projector.slots.zones import DAY_S, Zone, zone

_YEAR_S = 366 * DAY_S


@dataclass(frozen=True, slots=True)
class Line:
    """A slot, in UTC and on the wall clock; or, where `slot` is None, a wall time that has none.

    `offset` is that of the wall clock at the slot. `remarks` say what changing clocks did.
    """

    slot: datetime | None
    local: datetime
    weekday: str
    offset: timedelta | None
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """A schedule shown. `ended` says that no slot comes after the last line."""

    timezone: str
    words: str
    cautions: tuple[str, ...]
    start: datetime
    lines: tuple[Line, ...]
    ended: bool


def preview(schedule: ScheduleDefinition, start: datetime, count: int) -> Preview:
    """The first `count` slots of a schedule at or after `start`, and what is to be known of them.

    Raises what `schedule_of` raises.
    """
    slots, where = schedule_of(schedule), zone(schedule.timezone)
    begin = microseconds(start)
    seconds = begin // SECOND_US
    found: list[int] = []
    slot = slots.after(begin - 1)
    while slot is not None and len(found) < count:
        found.append(slot)
        slot = slots.after(slot)
    last = found[-1] if slot is not None and found else SLOTS_END
    rules = list(_clocks(schedule, slots))
    lines = [(us, line) for us, line in _slot_lines(where, rules, found)]
    lines += [
        (one.at * SECOND_US, _dropped_line(one))
        for one in _dropped(slots, rules, seconds, min(last, _horizon(found, begin)) // SECOND_US + 1)
    ]
    return Preview(
        schedule.timezone,
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


def _clocks(schedule: ScheduleDefinition, slots: Slots) -> Iterator[Clocks]:
    elements = schedule.any or (schedule,)
    sources = slots.source.sources if isinstance(slots.source, UnionSource) else (slots.source,)
    for element, source in zip(elements, sources, strict=True):
        if isinstance(source, WallSource):
            yield Clocks(element, source)


def _slot_lines(where: Zone, rules: list[Clocks], found: list[int]) -> Iterator[tuple[int, Line]]:
    before = None
    for us in found:
        seconds = us // SECOND_US
        remarks = [remark for rule in rules for remark in rule.remarks(seconds)]
        if not remarks and before is not None and (change := changed(where, before, seconds)):
            remarks = [change]
        offset = timedelta(seconds=where.offset_at(seconds))
        slot = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)
        local = slot.astimezone(timezone(offset)).replace(tzinfo=None)
        yield us, Line(slot, local, _weekday(local), offset, tuple(dict.fromkeys(remarks)))
        before = seconds


def _dropped(slots: Slots, rules: list[Clocks], start: int, end: int) -> Iterator[Dropped]:
    """Wall times without a slot, but those that bounds and exclusions take out anyway."""
    for rule in rules:
        for one in rule.dropped(start, end):
            us = one.at * SECOND_US
            out = slots.exclusions.around(us) if slots.exclusions is not None else None
            if slots.start <= us < slots.end and out is None:
                yield one


def _dropped_line(one: Dropped) -> Line:
    local = datetime(1970, 1, 1) + timedelta(seconds=one.wall)  # noqa: DTZ001 - a wall time has no zone
    return Line(None, local, _weekday(local), None, (one.why,))


def _weekday(local: datetime) -> str:
    return WEEKDAYS[local.isoweekday() % 7]
