"""Slots that are none: days named in a schedule's `exclude`, and spans of real time."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date
from operator import itemgetter

from projector.slots.sources import SECOND_US
from projector.slots.zones import DAY_S, EPOCH_DAY, Zone


@dataclass(frozen=True, slots=True)
class Exclusions:
    """Whole local days of `zone`, once or every year, and spans [from, to) in microseconds from 1970.

    The spans stand in order and share no instant.
    """

    zone: Zone
    days: frozenset[date]
    yearly: frozenset[tuple[int, int]]
    spans: tuple[tuple[int, int], ...]

    def around(self, instant: int) -> tuple[int, int] | None:
        """If `instant` is excluded, the span [from, to) around it that one exclusion takes out; else None.

        Within it nothing is a slot, so a walk goes on outside it.
        """
        n = bisect_right(self.spans, instant, key=itemgetter(0)) - 1
        if n >= 0 and instant < self.spans[n][1]:
            return self.spans[n]
        seconds = instant // SECOND_US
        low, high, offset = self.zone.stretch(seconds)
        day, time = divmod(seconds + offset, DAY_S)
        when = date.fromordinal(day + EPOCH_DAY)
        if when in self.days or (when.month, when.day) in self.yearly:
            # The day as far as this stretch of the zone shows it; another stretch may show more of it.
            start = max(low, seconds - time)
            end = min(high, seconds - time + DAY_S)
            return start * SECOND_US, end * SECOND_US
        return None
