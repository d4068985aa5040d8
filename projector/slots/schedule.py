"""The slots of a schedule: a source, and the bounds and exclusions laid over it.

Everything here is a pure function of the authored schedule, an instant and the zone rules in force.
Instants come in and go out as aware datetimes; between them they are whole microseconds from 1970.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from projector.slots.exclusions import Exclusions
from projector.slots.sources import SECOND_US, Source
from projector.slots.zones import DAY_S

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_US = DAY_S * SECOND_US


def microseconds(instant: datetime) -> int:
    """Whole microseconds from 1970 of an aware datetime; a naive one raises TypeError."""
    since = instant - _EPOCH
    return since.days * _DAY_US + since.seconds * SECOND_US + since.microseconds


def instant_at(us: int) -> datetime:
    """The aware UTC datetime at so many microseconds from 1970."""
    return _EPOCH + timedelta(microseconds=us)


# Series end at the later one; nothing asks for slots before the earlier one, and there are none.
SLOTS_BEGIN = microseconds(datetime(1800, 1, 1, tzinfo=UTC))
SLOTS_END = microseconds(datetime(2200, 1, 1, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Passed:
    """Slots that lie between two instants: the first, the last, and how many.

    `count` is exact unless `more`: then it is the limit, and there are more than that.
    """

    first: datetime
    last: datetime
    count: int
    more: bool


class Slots:
    """The slots of one schedule, in order, from 1800 up to 2200-01-01T00:00:00Z (exclusive)."""

    def __init__(
        self,
        source: Source,
        *,
        start: int = SLOTS_BEGIN,
        end: int = SLOTS_END,
        exclusions: Exclusions | None = None,
    ) -> None:
        self.source = source
        self.start = max(start, SLOTS_BEGIN)
        self.end = min(end, SLOTS_END)
        self.exclusions = exclusions

    def next(self, after: datetime) -> datetime | None:
        """The first slot strictly after an instant, in UTC; None when the series has ended."""
        slot = self.after(microseconds(after))
        return None if slot is None else instant_at(slot)

    def previous(self, before: datetime) -> datetime | None:
        """The last slot strictly before an instant, in UTC; None when there is none."""
        slot = self.before(microseconds(before))
        return None if slot is None else instant_at(slot)

    def holds(self, instant: datetime) -> bool:
        """Whether an instant is a slot."""
        us = microseconds(instant)
        return self.after(us - 1) == us

    def allows(self, instant: datetime) -> bool:
        """Whether the bounds and exclusions leave an instant, slot or not."""
        us = microseconds(instant)
        return self.start <= us < self.end and (self.exclusions is None or self.exclusions.around(us) is None)

    def count_between(self, after: datetime, before: datetime, limit: int = 1000) -> Passed | None:
        """The slots strictly between two instants, counted up to `limit`; None if there are none."""
        first = self.next(after)
        last = self.previous(before)
        if first is None or last is None or first > last:
            return None
        count = 1
        slot, stop = microseconds(first), microseconds(last)
        while slot != stop and count < limit:
            following = self.after(slot)
            if following is None or following > stop:
                raise AssertionError(f"next and previous disagree: {last} is not reached from {first}")
            slot = following
            count += 1
        return Passed(first, last, count, slot != stop)

    def after(self, instant: int) -> int | None:
        """`next` in microseconds from 1970."""
        known = max(instant, self.start - 1)
        # What lies outside the bounds is not even asked for: the calendar of the walk ends there.
        while known < self.end - 1 and (slot := self.source.after(known)) is not None and slot < self.end:
            if self.exclusions is None or (out := self.exclusions.around(slot)) is None:
                return slot
            known = out[1] - 1
        return None

    def before(self, instant: int) -> int | None:
        """`previous` in microseconds from 1970."""
        known = min(instant, self.end)
        while known > self.start and (slot := self.source.before(known)) is not None and slot >= self.start:
            if self.exclusions is None or (out := self.exclusions.around(slot)) is None:
                return slot
            known = out[0]
        return None
