"""What a run that asked for slots came upon: kinds of schedules, zones, changes of offset on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from conformance.making.zone_changes import KINDS, kind_of, met

# Of each thousand requests for slots that were taken, so many at least are of each kind of schedule, in
# each kind of zone, and pass a change of their zone.
LEAST_OF_A_KIND = 15
LEAST_IN_A_ZONE = 10
LEAST_MEETING = 250
_KINDS = ("cron, fixed", "cron, real time", "cron, seconds", "every_s", "at", "any")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Walked:
    """Counts over requests for slots that were taken."""

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self.zones: Counter[str] = Counter()
        self.meeting = 0
        self.changes = 0
        self.slots = 0
        self.ended = 0
        self.lacked = 0

    def count(self, asked: dict[str, object], answer: dict[str, object]) -> None:
        """One request, by its members, and the answer that both gave."""
        schedule, slots = asked["schedule"], answer["slots"]
        if not isinstance(schedule, dict) or not isinstance(slots, list):
            raise TypeError("slots were answered to a schedule that is no object")
        zone = str(schedule.get("timezone") or "UTC")
        self.kinds[_kind(schedule)] += 1
        self.zones[zone] += 1
        self.slots += len(slots)
        self.ended += bool(answer["ended"])
        changes = met(zone, _seconds(str(asked["after"])), _seconds(str(slots[-1]))) if slots else 0
        self.changes += changes
        self.meeting += changes > 0

    def lines(self) -> Iterator[str]:
        """The counts, for people."""
        yield f"slots: {self.slots} answered, {self.ended} series ended"
        yield f"not implemented in JavaScript: {self.lacked} requests, all of rrule"
        yield "kinds: " + ", ".join(f"{kind} {self.kinds[kind]}" for kind in _KINDS)
        yield f"zones: {len(self.zones)}; " + ", ".join(f"{kind} {n}" for kind, n in self._by_zone().items())
        yield f"changes of offset: {self.changes} passed by {self.meeting} requests"

    def shortfalls(self) -> list[str]:
        """What was met too seldom for the run to prove anything."""
        total = sum(self.kinds.values())
        found = [
            f"slots: {name} {n} times, the least is {total * least // 1000}"
            for least, counts in (
                (LEAST_OF_A_KIND, {kind: self.kinds[kind] for kind in _KINDS}),
                (LEAST_IN_A_ZONE, self._by_zone()),
                (LEAST_MEETING, {"a change of offset": self.meeting}),
            )
            for name, n in counts.items()
            if n * 1000 < total * least
        ]
        return found if total else ["slots: none was answered"]

    def _by_zone(self) -> dict[str, int]:
        by_kind: Counter[str] = Counter()
        for zone, n in self.zones.items():
            by_kind[kind_of(zone)] += n
        return {kind: by_kind[kind] for kind in KINDS}


def _kind(schedule: dict[str, object]) -> str:
    cron = schedule.get("cron")
    if cron is None:
        return next(kind for kind in ("every_s", "at", "any") if schedule.get(kind) is not None)
    if schedule.get("seconds") is True:
        return "cron, seconds"
    minute, hour = [*str(cron).split(), ""][:2]
    real = minute.startswith("*") or hour.startswith("*") or minute.lower() == "@hourly"
    return "cron, real time" if real else "cron, fixed"


def _seconds(stamp: str) -> int:
    return int((datetime.fromisoformat(stamp) - _EPOCH).total_seconds())
