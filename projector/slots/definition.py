"""From an authored schedule to its slots. Memoised: ten thousand tasks of one text cost one reading."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Literal, Protocol

from ledger.authored.cron import CronText, read_cron
from ledger.errors import NotYet
from projector.slots.fields import check_fields
from projector.slots.schedule import SLOTS_BEGIN, SLOTS_END, Slots, microseconds
from projector.slots.sources import SECOND_US, AtSource, CronSource, EverySource, Source
from projector.slots.timeline import Reading, timeline
from projector.slots.walk import Pattern
from projector.slots.zones import zone


class Dst(Protocol):
    """How a fixed wall time is read where it does not exist, and where it exists twice."""

    @property
    def gap(self) -> Literal["shift", "skip"]: ...
    @property
    def overlap(self) -> Literal["first", "last", "both"]: ...


class Authored(Protocol):
    """A schedule as it is authored, folded and with its defaults: what slots are made from. Hashable."""

    @property
    def cron(self) -> str | None: ...
    @property
    def seconds(self) -> bool: ...
    @property
    def every_s(self) -> int | None: ...
    @property
    def anchor(self) -> datetime: ...
    @property
    def at(self) -> datetime | None: ...
    @property
    def rrule(self) -> str | None: ...
    @property
    def any(self) -> Sequence[object] | None: ...
    @property
    def timezone(self) -> str: ...
    @property
    def dst(self) -> Dst: ...
    @property
    def starts_at(self) -> datetime | None: ...
    @property
    def ends_at(self) -> datetime | None: ...
    @property
    def exclude(self) -> Sequence[object]: ...


@lru_cache(maxsize=4096)
def schedule_of(definition: Authored) -> Slots:
    """The slots of a schedule; equal schedules share one answer.

    Raises NotYet for the kinds this release does not walk, Misconfigured if the installed tzdata lacks
    the zone or the installed croniter reads the text otherwise.
    """
    if definition.exclude:
        raise NotYet("exclude is read, but this release does not carry it out")
    return Slots(
        _source(definition),
        start=SLOTS_BEGIN if definition.starts_at is None else microseconds(definition.starts_at),
        end=SLOTS_END if definition.ends_at is None else microseconds(definition.ends_at),
    )


def _source(definition: Authored) -> Source:
    if definition.cron is not None:
        return _cron_source(definition.cron, definition.seconds, definition.timezone, definition.dst)
    if definition.every_s is not None:
        return EverySource(microseconds(definition.anchor), definition.every_s * SECOND_US)
    if definition.at is not None:
        return AtSource(microseconds(definition.at))
    kind = "any" if definition.any is not None else "rrule"
    raise NotYet(f"a schedule of the kind {kind} is read, but this release does not carry it out")


def _cron_source(text: str, seconds: bool, timezone: str, dst: Dst) -> CronSource:
    cron = read_cron(text, seconds=seconds)
    reading = Reading(True) if cron.real_time else Reading(False, dst.gap, dst.overlap)
    return CronSource(_pattern(cron), timeline(zone(timezone), reading))


def _pattern(cron: CronText) -> Pattern:
    check_fields(cron)
    return Pattern(cron.seconds, cron.minutes, cron.hours, cron.months, cron.days)
