"""Requests for `slots` that cut a series short: bounds, exclusions, the end of all; and what is refused."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.making import crons, wire
from conformance.making import samples as s
from conformance.making.sets import SINCE, Candidate, slots
from conformance.making.wire import Raw

_GOOD: dict[str, object] = {"cron": "0 9 * * *"}
_NOT_AFTER: tuple[object, ...] = (
    *("1799-12-31T23:59:59.999999Z", "1800-01-01T00:00:00+00:01", "0001-01-01T00:00:00Z"),
    *("0001-01-01T00:00:00+23:59", "1799-12-31T23:59:59-00:00", "1800-01-01T23:58:59+23:59"),
    *("9999-12-31T23:59:59.999999-00:01", "9999-12-31T23:59:59-23:59", "1582-10-15T00:00:00Z"),
    *("1800-01-01T00:00:00.0000001Z", "1799-01-01T00:00:00.0000001Z", "2026-02-30T00:00:00.1234567Z"),
    *(
        "2026-11-30T09:00:00.000000000001Z",
        "9999-12-31T23:59:59.9999999-01",
        "2026-13-01T00:00:00.0000009+00",
    ),
    *("1800-01-01T00:00:00", "2026-13-41T29:61:61", "2026-11-30 09:00:00", "2026-11-30t09:00:00.5"),
    *(
        "0000-00-00T00:00:00",
        "2026-11-30T09:00:00.0000001",
        "1799-12-31T23:59:59",
        None,
        [],
        {},
        False,
        0,
        -1.5,
    ),
    *(
        "2026-11-30T09:00:00.00000000001Z",
        "2026-11-30 09:00:00.9999999-05:30",
        "1970-01-01t00:00:00.0000005z",
    ),
    *("2026-11-30T24:00:00", "2026-11-31 00:00:00", "1970-01-01t00:00:00.000001", "9999-12-31T23:59:59"),
    *("2026-11-30T09:00:00.1234561Z", "1969-12-31T23:59:59.9999999Z", "2199-12-31T23:59:59.9999999Z"),
    *(["2026-11-30T09:00:00Z"], {"after": "2026-11-30T09:00:00Z"}),
)


def bounds() -> Iterator[Candidate]:
    edge, near = (
        "2026-12-02T09:00:00Z",
        ("2026-12-02T08:59:59.999999Z", "2026-12-02T09:00:00Z", "2026-12-02T09:00:00.000001Z"),
    )
    for kind in (_GOOD, {"every_s": 86_400, "anchor": edge}, {"at": edge}, {"any": [_GOOD, {"at": edge}]}):
        for bound in near:
            yield slots(f"{next(iter(kind))} from {bound}", {**kind, "starts_at": bound}, count=2)
            yield slots(f"{next(iter(kind))} until {bound}", {**kind, "ends_at": bound}, count=4)
    yield slots("bounds of one microsecond", {**_GOOD, "starts_at": near[1], "ends_at": near[2]})
    yield slots(
        "bounds that hold nothing", {**_GOOD, "starts_at": near[2], "ends_at": "2026-12-03T09:00:00Z"}
    )
    yield slots("asked after the end", {**_GOOD, "ends_at": near[1]}, "2027-01-01T00:00:00Z")
    yield slots("asked long before the start", {**_GOOD, "starts_at": near[1]}, "1800-01-01T00:00:00Z", 2)
    yield slots("a start behind the end of all", {**_GOOD, "starts_at": "2200-01-01T00:00:00Z"})
    yield slots(
        "an end behind the end of all",
        {**_GOOD, "ends_at": "9999-12-31T23:59:59.999999Z"},
        "2199-12-30T12:00:00Z",
    )
    yield slots(
        "a start does not move a step", {"every_s": 3600, "starts_at": "2026-12-02T09:30:00Z"}, count=2
    )
    yield slots(
        "a start in a gap",
        {"cron": "30 2 * * *", "timezone": "Europe/Paris", "starts_at": "2027-03-28T01:00:00Z"},
        count=2,
    )
    yield slots(
        "an end at a shifted slot",
        {"cron": "30 2 * * *", "timezone": "Europe/Paris", "ends_at": "2027-03-28T01:00:00Z"},
        "2027-03-26T12:00:00Z",
    )


def exclusions() -> Iterator[Candidate]:
    days: dict[str, list[object]] = {
        "a day of one year": [{"on": "2026-12-01"}],
        "a day of every year": [{"on": "12-01"}],
        "the leap day": [{"on": "02-29"}],
        "days in a row": [{"on": f"2026-12-0{day}"} for day in range(1, 7)],
        "a span that ends on a slot": [{"from": "2026-12-01T09:00:00Z", "to": "2026-12-02T09:00:00Z"}],
        "a span that starts behind a slot": [
            {"from": "2026-12-01T09:00:00.000001Z", "to": "2026-12-02T09:00:00.000001Z"}
        ],
        "spans and days that touch": [
            {"from": "2026-12-02T00:00:00Z", "to": "2026-12-04T00:00:00Z"},
            {"on": "12-01"},
        ],
        "the same twice": [{"on": "12-01"}, {"on": "12-01"}],
        "all time": [{"from": "1970-01-01T00:00:00Z", "to": "9999-12-31T23:59:59Z"}],
        "from a day on": [{"from": "2026-12-03T00:00:00Z", "to": "2200-01-01T00:00:00Z"}],
        "no slot at all": [{"on": "0001-01-01"}],
    }
    for what, exclude in days.items():
        for zone in ("UTC", "Pacific/Kiritimati", "America/Los_Angeles"):
            yield slots(f"exclude {what}, {zone}", {**_GOOD, "exclude": exclude, "timezone": zone}, count=4)
        yield slots(
            f"exclude {what}, each second", {"every_s": 1, "exclude": exclude}, "2026-12-01T08:59:58.5Z", 3
        )
    leap: dict[str, object] = {"cron": "0 0 29 2 *", "exclude": [{"on": "2028-02-29"}]}
    yield slots("exclude a leap day of one year", leap, count=3)
    yield slots("exclude all leap days", {**leap, "exclude": [{"on": "02-29"}]}, count=3)
    for zone, day in (
        ("Pacific/Apia", "2011-12-30"),
        ("Pacific/Apia", "2011-12-31"),
        ("America/Juneau", "1867-10-18"),
        ("Europe/Paris", "2026-10-25"),
    ):
        for members in (
            {"every_s": 21_600},
            {"cron": "0 */6 * * *"},
            {"cron": "30 2 * * *", "dst": {"overlap": "both"}},
        ):
            after = f"{int(day[:4])}{day[4:8]}{int(day[8:]) - 1:02}T00:00:00Z"
            yield slots(
                f"exclude {day} in {zone}", {**members, "timezone": zone, "exclude": [{"on": day}]}, after, 9
            )


def ends() -> Iterator[Candidate]:
    late = "2199-12-31T22:30:00Z"
    for schedule in (
        {"cron": "* * * * *"},
        {"cron": "0 * * * *"},
        {"cron": "@yearly"},
        {"every_s": 1800},
        {"every_s": 31_622_400},
        {"cron": "59 59 23 31 12 *", "seconds": True},
        {"cron": "0 0 1 1 *", "timezone": "Pacific/Kiritimati"},
        {"cron": "0 0 1 1 *", "timezone": "Etc/GMT+12"},
        {"cron": "0 12 31 12 *", "timezone": "Etc/GMT+12"},
        {"cron": "0 0 29 2 *"},
        {"any": [{"cron": "0 23 * * *"}, {"at": "2200-01-01T00:00:00Z"}]},
    ):
        yield slots(
            f"the end of all, {wire.plain(schedule)[:70]}",
            schedule,
            late,
            100 if "* * * * *" not in str(schedule) else 95,
        )
        yield slots(
            f"asked at the end of all, {wire.plain(schedule)[:70]}",
            schedule,
            "2199-12-31T23:59:59.999999Z",
            1,
        )
        yield slots(
            f"asked behind the end of all, {wire.plain(schedule)[:70]}",
            schedule,
            "9999-12-31T23:59:59.999999Z",
            1000,
        )
    for year in (1899, 1999, 2023, 2027, 2099, 2100, 2199):
        yield slots(
            f"a turn of the year {year}",
            {"cron": "0 */8 31,1 12,1 *", "timezone": "America/Sao_Paulo"},
            f"{year}-12-30T12:00:00Z",
            7,
        )
        yield slots(f"February of {year}", {"cron": "0 0 28,29 2 *"}, f"{year}-01-31T12:00:00Z", 4)


def refused() -> Iterator[Candidate]:
    for text in crons.BAD[::6]:
        yield slots(f"bad cron {text[:40]!a}", {"cron": text})
    for schedule in (
        *s.NOT_OBJECT,
        None,
        {},
        {"every_s": 60, "at": s.TIMES[0]},
        {"every_s": 0},
        {"every_s": Raw("1e400")},
        {"cron": "* * * * *", "x": None},
    ):
        yield slots(f"a schedule that is {wire.plain(schedule)[:60]}", schedule)
    for zone in s.NOT_ZONES[:12]:
        yield slots(f"the zone {wire.plain(zone)}", {**_GOOD, "timezone": zone})
    cuts: tuple[dict[str, object], ...] = (
        {"starts_at": SINCE, "ends_at": SINCE},
        {"exclude": [{}]},
        {"exclude": [{"on": "02-30"}]},
        {"spread_s": 86_401},
        {"dst": {"gap": "x"}},
    )
    for cut in cuts:
        yield slots(f"refused for {wire.plain(cut)}", {**_GOOD, **cut})
    for after in (*s.NOT_TIMES, *_NOT_AFTER):
        yield slots(f"after {wire.plain(after)}", _GOOD, after)
    for after in (
        "1800-01-01T00:00:00Z",
        "1799-12-31T23:59:00-00:01",
        "1969-12-31T23:59:59Z",
        "2026-11-30 10:00:00.5+01",
    ):
        yield slots(f"after {after}", _GOOD, after, 1)
    counts: tuple[object, ...] = (
        0,
        -1,
        1001,
        1.5,
        "1",
        "",
        None,
        True,
        False,
        [],
        {},
        [1],
        Raw("1e400"),
        Raw("1e3"),
        Raw("1000.0"),
        Raw("10e-1"),
        Raw("1001e0"),
        Raw("-0"),
    )
    for count in counts:
        yield slots(f"a count of {wire.plain(count)}", {"at": s.TIMES[0]}, count=count)
    yield slots("the schedule before the rest", {"cron": "x"}, "x", 0)
    yield slots("after before the count", _GOOD, "x", 0)
    yield slots("a spread is not judged here", {"every_s": 60, "spread_s": 86_400}, count=1)
    yield slots(
        "sixty slots", {"cron": "*/7 */5 * * *", "timezone": "Europe/Paris"}, "2026-10-01T00:00:00Z", 60
    )
