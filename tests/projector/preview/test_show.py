"""What a preview says of changing clocks, against lines written by hand from the zones' published rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from ledger.moves.definitions import parse
from projector import door
from projector.preview import Line, Preview, preview
from projector.slots import schedule_of
from projector.slots.zones import zone

NEW_YORK = {"timezone": "America/New_York"}


def looked(begin: str, count: int, **members: object) -> Preview:
    definition = parse(door.read_task({"entrypoint": "x", "schedule": members}).canonical).schedule
    return preview(definition, datetime.fromisoformat(begin), count)


def line(one: Line) -> tuple[str, str | None, str]:
    """Local time, UTC and remarks of a line, short."""
    utc = None if one.slot is None else f"{one.slot:%d %H:%M}"
    return f"{one.weekday[:3]} {one.local:%d %H:%M}", utc, "; ".join(one.remarks)


def test_a_slot_in_the_gap_is_moved() -> None:
    lines = looked("2027-03-13T05:00:00Z", 3, cron="30 2 * * *", **NEW_YORK).lines
    assert [line(one) for one in lines] == [
        ("Sat 13 02:30", "13 07:30", ""),
        ("Sun 14 03:00", "14 07:00", "moved: 02:30 does not exist that day (clocks go from 02:00 to 03:00)"),
        ("Mon 15 02:30", "15 06:30", ""),
    ]
    assert [one.offset for one in lines] == [timedelta(hours=-5), timedelta(hours=-4), timedelta(hours=-4)]


def test_or_dropped_where_the_author_says_so() -> None:
    lines = looked("2027-03-14T05:00:00Z", 2, cron="15,30 2 * * *", dst={"gap": "skip"}, **NEW_YORK).lines
    assert [line(one) for one in lines] == [
        (
            "Sun 14 02:15",
            None,
            "02:15 and 02:30 do not exist that day (clocks go from 02:00 to 03:00), and dst.gap is skip",
        ),
        ("Mon 15 02:15", "15 06:15", ""),
        ("Mon 15 02:30", "15 06:30", ""),
    ]


def test_a_run_that_stands_for_a_missing_one_too() -> None:
    (one,) = looked("2027-03-14T06:30:00Z", 1, cron="0 2,3 * * *", **NEW_YORK).lines
    assert line(one) == (
        "Sun 14 03:00",
        "14 07:00",
        "02:00 does not exist that day (clocks go from 02:00 to 03:00); this run also stands for it",
    )


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        (
            "first",
            [
                (
                    "Sun 07 01:30",
                    "07 05:30",
                    "01:30 comes twice that day: this is the first, and the second does not run",
                )
            ],
        ),
        (
            "last",
            [
                (
                    "Sun 07 01:30",
                    "07 06:30",
                    "01:30 comes twice that day: this is the second, and the first does not run",
                )
            ],
        ),
        (
            "both",
            [
                ("Sun 07 01:30", "07 05:30", "01:30 comes twice that day: this is the first, and both run"),
                ("Sun 07 01:30", "07 06:30", "01:30 comes twice that day: this is the second, and both run"),
            ],
        ),
    ],
)
def test_an_hour_that_comes_twice(overlap: str, expected: list[tuple[str, str, str]]) -> None:
    found = looked(
        "2027-11-07T04:00:00Z", len(expected), cron="30 1 * * *", dst={"overlap": overlap}, **NEW_YORK
    )
    assert [line(one) for one in found.lines] == expected


def test_an_rrule_is_read_on_the_wall_clock_too() -> None:
    rule = {"rrule": "RRULE:FREQ=DAILY", "start": "2027-03-13T02:30:00", **NEW_YORK}
    moved = looked("2027-03-14T05:00:00Z", 2, **rule).lines
    assert [line(one) for one in moved] == [
        ("Sun 14 03:00", "14 07:00", "moved: 02:30 does not exist that day (clocks go from 02:00 to 03:00)"),
        ("Mon 15 02:30", "15 06:30", ""),
    ]
    lines = looked("2027-03-14T05:00:00Z", 1, **rule, dst={"gap": "skip"}).lines
    assert [line(one)[:2] for one in lines] == [("Sun 14 02:30", None), ("Mon 15 02:30", "15 06:30")]


def test_a_rule_that_follows_real_time() -> None:
    back = looked("2027-11-07T04:30:00Z", 4, cron="*/30 * * * *", **NEW_YORK)
    assert [line(one)[:2] for one in back.lines] == [
        ("Sun 07 00:30", "07 04:30"),
        ("Sun 07 01:00", "07 05:00"),
        ("Sun 07 01:30", "07 05:30"),
        ("Sun 07 01:00", "07 06:00"),
    ]
    assert back.lines[1].remarks == ("01:00 comes twice that day: this is the first, and both run",)
    assert back.lines[3].remarks == ("01:00 comes twice that day: this is the second, and both run",)
    forward = looked("2027-03-14T06:00:00Z", 2, cron="0 */2 * * *", **NEW_YORK)
    assert [line(one) for one in forward.lines] == [
        ("Sun 14 02:00", None, "02:00 to 03:00 does not exist that day, and nothing runs in its place"),
        ("Sun 14 04:00", "14 08:00", ""),
        ("Sun 14 06:00", "14 10:00", ""),
    ]


def test_a_midnight_that_is_skipped() -> None:
    """Clocks in Asuncion went from 00:00 to 01:00 on 2024-10-06."""
    lines = looked("2024-10-05T04:00:00Z", 2, cron="0 0 * * *", timezone="America/Asuncion").lines
    assert line(lines[1]) == (
        "Sun 06 01:00",
        "06 04:00",
        "moved from midnight: 00:00 does not exist that day (clocks go from 00:00 to 01:00)",
    )


def test_a_day_that_is_skipped() -> None:
    """Samoa had no 2011-12-30."""
    lines = looked("2011-12-29T00:00:00Z", 2, cron="0 0 * * *", timezone="Pacific/Apia").lines
    assert [line(one) for one in lines] == [
        ("Thu 29 00:00", "29 10:00", ""),
        ("Fri 30 00:00", None, "this day does not exist in the zone"),
        ("Sat 31 00:00", "30 10:00", "clocks went forward 1 day since the last"),
    ]


def test_a_slot_that_keeps_its_local_time() -> None:
    lines = looked("2027-03-27T00:00:00Z", 3, cron="0 9 * * *", timezone="Europe/Paris").lines
    assert [line(one) for one in lines] == [
        ("Sat 27 09:00", "27 08:00", ""),
        ("Sun 28 09:00", "28 07:00", "clocks went forward 1 hour since the last"),
        ("Mon 29 09:00", "29 07:00", ""),
    ]


def test_a_union_is_told_rule_by_rule() -> None:
    rules = [{"cron": "30 2 * * *", "timezone": "Europe/Paris"}, {"cron": "0 1 * * *"}]
    lines = looked("2027-03-28T00:00:00Z", 1, any=rules, timezone="Europe/Paris").lines
    assert line(lines[0]) == (
        "Sun 28 03:00",
        "28 01:00",
        "moved: 02:30 does not exist that day (clocks go from 02:00 to 03:00)",
    )


def test_what_is_excluded_is_not_told_as_dropped() -> None:
    members = {"cron": "30 2 * * *", "dst": {"gap": "skip"}, "exclude": [{"on": "03-14"}], **NEW_YORK}
    assert [line(one)[0] for one in looked("2027-03-14T05:00:00Z", 1, **members).lines] == ["Mon 15 02:30"]


def test_a_series_that_ends() -> None:
    found = looked("2026-12-01T00:00:00Z", 5, at="2026-12-24T18:00:00Z")
    assert ([line(one)[0] for one in found.lines], found.ended) == (["Thu 24 18:00"], True)
    after = looked("2026-12-25T00:00:00Z", 5, at="2026-12-24T18:00:00Z")
    assert (after.lines, after.ended) == ((), True)


def own_zone(name: str) -> ZoneInfo:
    """The standard library's reading of the pinned rules."""
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


TRICKY = ("America/New_York", "Europe/Paris", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca")


@given(
    text=st.sampled_from(("30 2 * * *", "*/20 1-3 * * *", "15,45 0-3 * * *", "0 0 * * *", "30 1 * * SUN")),
    name=st.sampled_from(TRICKY),
    gap=st.sampled_from(("shift", "skip")),
    overlap=st.sampled_from(("first", "last", "both")),
    start=st.integers(1_230_000_000, 2_050_000_000),
)
def test_its_slots_are_the_slots(text: str, name: str, gap: str, overlap: str, start: int) -> None:
    """Every line with a slot is one of the walk's, none is left out, and the lines stand in order."""
    members: dict[str, object] = {"cron": text, "timezone": name, "dst": {"gap": gap, "overlap": overlap}}
    definition = parse(door.read_task({"entrypoint": "x", "schedule": members}).canonical).schedule
    begin = datetime.fromtimestamp(start, UTC)
    found = preview(definition, begin, 25)
    slots, at = schedule_of(definition), begin - timedelta(microseconds=1)
    for one in found.lines:
        if one.slot is not None:
            assert slots.next(at) == one.slot
            assert one.offset is not None
            assert one.local == (one.slot + one.offset).replace(tzinfo=None)
            at = one.slot
        else:
            assert gap == "skip" or text.startswith("*") or "this day" in one.remarks[0]


@given(
    minute=st.integers(0, 59),
    hours=st.sets(st.integers(0, 4), min_size=1),
    name=st.sampled_from(TRICKY),
    change=st.integers(0, 60),
)
@example(minute=30, hours={2}, name="America/New_York", change=3)
def test_remarks_stand_exactly_where_clocks_did_something(
    minute: int, hours: set[int], name: str, change: int
) -> None:
    """A slot that is not at a time of the rule was moved; one whose wall time the zone has twice says so.

    The standard library's zones are asked, around one change of clocks after the other.
    """
    changes = [start for start in zone(name).starts if 0 < start < 2_000_000_000]
    begin = datetime.fromtimestamp(changes[-1 - change % len(changes)], UTC) - timedelta(days=1)
    text = f"{minute} {','.join(map(str, sorted(hours)))} * * *"
    found = looked(begin.isoformat(), 12, cron=text, timezone=name)
    where = own_zone(name)
    told = 0
    for one in found.lines:
        if one.slot is None:
            continue
        local = one.slot.astimezone(where)
        assert local.replace(tzinfo=None, fold=0) == one.local
        first, second = (local.replace(fold=fold).utcoffset() for fold in (0, 1))
        remarks = " ".join(one.remarks)
        own = local.minute == minute and local.hour in hours
        assert remarks.startswith("moved") == (not own), (one, text)
        if own and "does not exist" not in remarks and "do not exist" not in remarks:
            assert ("comes twice" in remarks) == (first > second), (one, text)
        told += bool(remarks)
    event(f"{min(told, 3)} remarks")
