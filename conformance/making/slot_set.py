"""Requests for `slots`: every form of cron, steps and anchors, instants, unions, and some by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator

from conformance.making import crons, walks, wire
from conformance.making import samples as s
from conformance.making.sets import Candidate, asking, chance, slots
from conformance.making.slot_cuts import bounds, ends, exclusions, refused
from conformance.making.slot_zones import zone_requests

_LEAP = "2027-12-31T23:59:00Z"


def slot_requests() -> Iterator[Candidate]:
    yield from _texts()
    yield from zone_requests()
    yield from _steps()
    yield from _instants()
    yield from _unions()
    yield from bounds()
    yield from exclusions()
    yield from ends()
    yield from refused()
    rng = chance("slots")
    for number in range(130):
        yield from _answerable(f"by chance {number + 1}", walks.valid(rng), rng)
    for number in range(50):
        yield from _answerable(f"spoilt {number + 1}", walks.wrong(rng), rng)


def _answerable(about: str, asked: dict[str, object], rng: random.Random) -> Iterator[Candidate]:
    """The request, unless it asks for a rule, whose slots are the product's alone."""
    if "rrule" not in wire.plain(asked):
        yield asking(about, {"op": "slots", **asked}, rng)


def _texts() -> Iterator[Candidate]:
    """Each form of cron, over the turn of a year and into a leap year; days and weekdays over months."""
    for text in (*crons.GOOD, *crons.LONG_GOOD):
        yield slots(f"cron {text.strip()[:60]!r}", {"cron": text})
    for text in (
        *crons.GOOD[:60],
        "0 12 29 2 *",
        "0 12 29 2 MON",
        "0 0 31 * *",
        "0 0 31 2-4 5",
        "0 0 13 * FRI",
    ):
        yield slots(
            f"cron {text.strip()[:60]!r} in a leap year", {"cron": text, "timezone": "Asia/Kolkata"}, _LEAP, 8
        )
    for text in crons.GOOD_SECONDS:
        yield slots(f"with seconds {text.strip()!r}", {"cron": text, "seconds": True})
    for text in ("0 0 1W * *", "0 0 28W 2 *", "0 0 15W,L * *", "0 0 L * *", "0 0 * * 1#5", "0 0 * * 0L,6#1"):
        yield slots(
            f"cron {text!r}, a year", {"cron": text, "timezone": "America/Denver"}, "2025-12-31T00:00:00Z", 13
        )
    for text in (
        "0 0 1 * MON",
        "0 0 */2 * MON",
        "0 0 1 * */2",
        "0 0 ? * MON",
        "0 0 1 * ?",
        "0 0 *,1 * MON",
        "0 0 1-31 * MON",
    ):
        yield slots(f"the day rule, {text!r}", {"cron": text}, "2026-12-01T00:00:00Z", 9)


def _steps() -> Iterator[Candidate]:
    anchors = (
        None,
        "1970-01-01T00:00:00.000001Z",
        "2026-11-30T09:00:00.5Z",
        "9999-12-31T23:59:59.999999Z",
        "2026-02-28T23:59:59-05:30",
    )
    for every in (1, 7, 61, 3600, 86_399, 604_800, 1_000_003, 31_622_400):
        for anchor in anchors:
            schedule: dict[str, object] = {"every_s": every, "anchor": anchor}
            yield slots(f"every {every} s from {anchor}", schedule, count=3)
    for after in (
        "1800-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "2099-12-31T23:59:59.5Z",
    ):
        yield slots(
            f"every 100,000 s after {after}", {"every_s": 100_000, "anchor": "2026-11-30T09:00:00Z"}, after, 3
        )
        yield slots(
            f"every second after {after}", {"every_s": 1, "anchor": "2000-01-01T00:00:00.000001Z"}, after, 3
        )
    yield slots(
        "a step takes no notice of summer time",
        {"every_s": 3600, "timezone": "Europe/Paris"},
        "2026-10-24T23:30:00Z",
        4,
    )


def _instants() -> Iterator[Candidate]:
    for text in s.TIMES:
        yield slots(f"at {text}", {"at": text}, "1800-01-01T00:00:00Z", 2)
    for after in (
        "2026-11-30T08:59:59.999999Z",
        "2026-11-30T09:00:00Z",
        "2026-11-30T10:00:00+01:00",
        "2026-11-30T09:00:00.000001Z",
    ):
        yield slots(f"at, asked after {after}", {"at": "2026-11-30T09:00:00Z"}, after, 1)
    for at in ("2199-12-31T23:59:59.999999Z", "2200-01-01T00:00:00Z", "2200-01-01T00:00:00+00:01"):
        yield slots(f"at {at}, by the end", {"at": at}, "2199-12-31T00:00:00Z", 1)


def _unions() -> Iterator[Candidate]:
    nine = {"cron": "0 9 * * *"}
    unions: dict[str, list[object]] = {
        "one element": [nine],
        "the same twice": [nine, nine],
        "two that meet": [{"every_s": 3600}, {"cron": "*/30 * * * *"}],
        "two zones, one instant": [{**nine, "timezone": "Europe/Paris"}, {"cron": "0 8 * * *"}],
        "an instant that is a slot of the other": [nine, {"at": "2026-12-01T09:00:00Z"}],
        "instants alone": [{"at": f"2026-12-0{day}T00:00:00Z"} for day in (3, 1, 2, 1)],
        "each with its own reading": [
            {"cron": "30 2 * * *", "timezone": "Europe/Paris", "dst": {"gap": gap, "overlap": overlap}}
            for gap, overlap in (("shift", "first"), ("skip", "last"), ("skip", "both"))
        ],
        "seconds beside minutes": [{"cron": "*/15 * * * * *", "seconds": True}, {"cron": "* * * * *"}],
        "anchors apart by a microsecond": [
            {"every_s": 60, "anchor": f"2026-01-01T00:00:00.00000{n}Z"} for n in (0, 1, 2)
        ],
        "sixteen": [{"every_s": 1000 + n} for n in range(16)],
        "one that ends": [{"at": "2026-12-01T00:00:00Z"}, {"cron": "0 0 1 1 *"}],
    }
    for what, elements in unions.items():
        yield slots(f"any: {what}", {"any": elements}, count=8)
        yield slots(
            f"any: {what}, in March", {"any": elements, "timezone": "Asia/Tokyo"}, "2026-03-28T12:00:00Z", 8
        )
        cut: dict[str, object] = {
            "any": elements,
            "starts_at": "2026-12-01T00:00:00Z",
            "ends_at": "2026-12-03T00:00:00Z",
        }
        yield slots(
            f"any: {what}, between bounds",
            {**cut, "exclude": [{"on": "12-02"}], "timezone": "Pacific/Apia"},
            count=8,
        )
    yield slots(
        "any: the days of exclude are those of the zone beside it",
        {
            "any": [{**nine, "timezone": "Asia/Tokyo"}, nine],
            "timezone": "Pacific/Kiritimati",
            "exclude": [{"on": "2026-12-01"}],
        },
    )
