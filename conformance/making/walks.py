"""Requests for `slots` at random: schedules of each kind, asked around the changes of their zones.

A schedule at random seldom meets anything. So the zone comes first, then one of its changes of offset, and
the schedule names wall times near that; most requests start shortly before it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from conformance.making import crons, rules, tasks, twist
from conformance.making import samples as s
from conformance.making.zone_changes import KINDS, changes, local

_DAY = 86_400
_LISTED = tuple(KINDS)
_EDGES = (
    "1800-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z", "1999-12-31T23:59:59Z",
    "2000-02-28T12:00:00Z", "2099-12-31T23:00:00Z", "2100-02-28T00:00:00Z", "2198-12-31T23:59:00Z",
    "2199-12-31T23:58:59.5Z", "2199-12-31T23:59:59.999999Z", "2200-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
)  # fmt: skip
_STEPS = (1, 7, 60, 90, 900, 3600, 5400, 86_400, 100_000, 604_800, 31_622_400)
# Each refusal of a timestamp twice.
_WRONG_AFTER: tuple[object, ...] = (
    "1799-12-31T23:59:59.999999Z", "9999-12-31T23:59:59-01", "2026-11-30T09:00:00", "2026-13-41T09:00:00",
    "2026-02-30T00:00:00Z", "x", None, 7, "2026-11-30T09:00:00.0000001Z", "1799-01-01T00:00:00.1234567Z",
)  # fmt: skip
_WRONG_COUNT: tuple[object, ...] = (0, -1, 1001, 1.5, "1", None, True, [], {}, 10**9)


class _Where:
    """A zone and an instant near which the request is made, in Unix seconds."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        if rng.random() < 0.6:
            self.zone = rng.choice(KINDS[rng.choice(_LISTED)])
        else:
            self.zone = rng.choice(s.ZONES)
        instants = changes(self.zone)
        recent = [instant for instant in instants if instant >= 0]
        if instants and rng.random() < 0.75:
            self.instant = rng.choice(recent or instants) if rng.random() < 0.85 else rng.choice(instants)
        else:
            self.instant = rng.randint(-3600, 130 * 365 * _DAY)

    def near(self, most: int) -> datetime:
        """A wall time at most so many seconds from the instant."""
        return local(self.zone, self.instant + self.rng.randint(-most, most))

    def stamp(self, least: int, most: int) -> str:
        """A timestamp so many seconds from the instant; now and then with a fraction or another offset."""
        rng = self.rng
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=self.instant + rng.randint(least, most))
        micros = rng.choice((0, 0, 0, 0, 1, 500_000, 999_999))
        written = at.replace(microsecond=micros).isoformat().replace("+00:00", "Z")
        return written if at.year >= 1970 else max(written, "1970-01-01T00:00:00Z")


def valid(rng: random.Random) -> dict[str, object]:
    """The members of a request that is meant to be taken."""
    where = _Where(rng)
    schedule = _kind(where) if rng.random() < 0.85 else _any(where)
    if ("cron" not in schedule or rng.random() < 0.98) and where.zone != "UTC":
        schedule["timezone"] = where.zone
    _cut(schedule, where)
    return {"schedule": schedule, "after": _after(where), "count": _count(rng)}


def wrong(rng: random.Random) -> dict[str, object]:
    """A request in which something is spoilt: the schedule, where it starts, or how many."""
    asked = valid(rng)
    turn = rng.random()
    if turn < 0.25:
        task = tasks.wrong(rng)
        asked["schedule"] = task.get("schedule") if isinstance(task, dict) else task
    elif turn < 0.3:
        twist.leaf(asked, rng)
    if 0.25 < turn < 0.85:
        asked["after"] = rng.choice(_WRONG_AFTER)
    if turn > 0.8:
        asked["count"] = rng.choice(_WRONG_COUNT)
    return asked


def _after(where: _Where) -> str:
    turn = where.rng.random()
    if turn < 0.08:
        return where.rng.choice(_EDGES)
    if turn < 0.12:
        at = local(where.zone, where.instant)
        return f"{min(max(at.year, 1800), 2199)}-12-31T{where.rng.randint(0, 23):02}:59:00+00:00"
    most = where.rng.choice((1, 3600, 7200, _DAY, 3 * _DAY))
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=where.instant - where.rng.randint(0, most))
    return at.replace(microsecond=where.rng.choice((0, 0, 0, 1, 999_999))).isoformat()


def _count(rng: random.Random) -> int:
    return rng.choice((1, 1, 2, 3, 3, 5, 8, 8, 12, 20)) if rng.random() < 0.99 else rng.choice((100, 300))


def _kind(where: _Where) -> dict[str, object]:
    made = dict(where.rng.choices(_MAKERS, _WEIGHTS)[0](where))
    if "cron" in made and where.rng.random() < 0.6:
        dst = {
            "gap": where.rng.choice(("shift", "skip")),
            "overlap": where.rng.choice(("first", "last", "both")),
        }
        made["dst"] = dst
    return made


def _any(where: _Where) -> dict[str, object]:
    elements = [_kind(where) for _ in range(where.rng.choice((1, 2, 2, 3, 5)))]
    for element in elements:
        if where.rng.random() < 0.7:
            element["timezone"] = where.zone
    if where.rng.random() < 0.2:
        elements.append(elements[0])
    return {"any": elements}


def _fixed(where: _Where) -> dict[str, object]:
    """Wall times near the change."""
    rng = where.rng
    at, other = where.near(3 * 3600), where.near(7200)
    minute = rng.choice(
        (str(at.minute), str(at.minute), "0", "30", f"{at.minute},{other.minute}", "0-59/20", "5/25")
    )
    hour = rng.choice(
        (str(at.hour), str(at.hour), f"{at.hour},{other.hour}", f"{at.hour}-{other.hour}", "0-23", "0,*")
    )
    day = rng.choice(
        ("*", "*", "*", str(at.day), f"{at.day},{other.day}", "*/2", "L", "1-31/3", f"{min(at.day, 28)}W")
    )
    month = rng.choice(("*", "*", "*", str(at.month), f"{at.month}-{other.month}", "*/3", "NOV-APR"))
    weekday = "*" if day in ("L", f"{min(at.day, 28)}W") or rng.random() < 0.6 else _weekday(rng, day)
    return {"cron": f"{minute} {hour} {day} {month} {weekday}"}


def _weekday(rng: random.Random, day: str) -> str:
    plain = (str(rng.randint(0, 7)), "MON-FRI", "FRI-MON", "0-7/2", "5-7", "SUN", "*/3", "1,3,5")
    special = (f"{rng.randint(0, 7)}#{rng.randint(1, 5)}", f"{rng.randint(0, 7)}L")
    return rng.choice((*plain, *special) if day == "*" else plain)


def _wildcard(where: _Where) -> dict[str, object]:
    rng = where.rng
    at = where.near(3 * 3600)
    every = rng.choice(("*", "*/5", "*/15", "*/7", "*,5"))
    hour = rng.choice(("*", str(at.hour), f"{at.hour},{(at.hour + 1) % 24}", "*/2", "22-2"))
    if rng.random() < 0.3:
        return {"cron": rng.choice(("@hourly", f"{at.minute} * * * *", f"{at.minute} */2 * * *"))}
    return {"cron": f"{every} {hour} {rng.choice(('*', '*', str(at.day)))} * *"}


def _seconds(where: _Where) -> dict[str, object]:
    at = where.near(7200)
    second = where.rng.choice(("0", "*/20", "*", "59", "7,8", str(at.second)))
    minute = where.rng.choice((str(at.minute), "*/30", "0"))
    hour = where.rng.choice((str(at.hour), "*", "*/3"))
    return {"cron": f"{second} {minute} {hour} * * {where.rng.choice(('*', '*', 'SUN'))}", "seconds": True}


def _loose(where: _Where) -> dict[str, object]:
    """A text with nothing to do with the zone."""
    rng = where.rng
    return {"cron": rng.choice(crons.GOOD) if rng.random() < 0.6 else crons.at_random(rng)}


def _every(where: _Where) -> dict[str, object]:
    made: dict[str, object] = {"every_s": where.rng.choice((*_STEPS, where.rng.randint(1, 10**6)))}
    if where.rng.random() < 0.6:
        made["anchor"] = (
            where.stamp(-400 * _DAY, 400 * _DAY)
            if where.rng.random() < 0.9
            else "9999-12-31T23:59:59.999999Z"
        )
    return made


def _at(where: _Where) -> dict[str, object]:
    return {"at": where.stamp(-_DAY, _DAY) if where.rng.random() < 0.9 else where.rng.choice(s.TIMES)}


def _rule(where: _Where) -> dict[str, object]:
    """A rule, which the second implementation reads, and has no slots for."""
    return {"rrule": rules.at_random(where.rng), "start": where.rng.choice(s.LOCAL)}


_MAKERS: Sequence[Callable[[_Where], dict[str, object]]] = (
    *(_fixed, _wildcard, _seconds, _loose, _every, _at),
    _rule,
)
_WEIGHTS = (45, 15, 8, 15, 9, 6, 2)


def _cut(schedule: dict[str, object], where: _Where) -> None:
    """Bounds and exclusions, some of the time."""
    rng = where.rng
    if rng.random() < 0.15:
        schedule["starts_at"] = where.stamp(-2 * _DAY, 0)
    if rng.random() < 0.15:
        schedule["ends_at"] = where.stamp(1, 3 * _DAY)
    if rng.random() < 0.2:
        schedule["exclude"] = [_exclusion(where) for _ in range(rng.choice((1, 1, 2, 4)))]
    if rng.random() < 0.03:
        schedule["spread_s"] = rng.choice((1, 60, 86_400))


def _exclusion(where: _Where) -> dict[str, object]:
    turn = where.rng.random()
    day = where.near(2 * _DAY).strftime("%Y-%m-%d")
    if turn < 0.4:
        return {"on": day}
    if turn < 0.7:
        return {"on": where.rng.choice((day[5:], day[5:], "02-29", "12-31", "01-01"))}
    return {"from": where.stamp(-2 * _DAY, -1), "to": where.stamp(1, 2 * _DAY)}
