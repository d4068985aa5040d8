"""What of RFC 5545 an rrule may say, part by part."""

from __future__ import annotations

from datetime import datetime

import pytest

from ledger.authored.fold import fold
from ledger.authored.rrule import ByDay, RruleRefused, RruleText, read_rrule
from ledger.errors import TaskRefused

TAKEN = [
    "FREQ=DAILY",
    "FREQ=YEARLY;INTERVAL=9999;COUNT=100000;WKST=SU",
    "COUNT=1;INTERVAL=1;FREQ=WEEKLY",
    "FREQ=DAILY;UNTIL=20261231T235959",
    "FREQ=DAILY;UNTIL=19700101T000000",
    "FREQ=DAILY;UNTIL=99981231T235959",
    "FREQ=YEARLY;BYMONTH=1,12,1;BYMONTHDAY=31,-1,-31;BYHOUR=0,23;BYMINUTE=0,59;BYSECOND=0,59",
    "FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR",
    "FREQ=MONTHLY;BYMONTHDAY=1",
    "FREQ=YEARLY;BYYEARDAY=1,-366,366",
    "FREQ=MONTHLY;BYDAY=1MO,-1FR,53SU,-53SA,TU",
    "FREQ=YEARLY;BYDAY=20MO",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1,366,-366",
    "BYSETPOS=1;BYHOUR=9,10;FREQ=DAILY",
]
REFUSED = [
    "",
    "FREQ=",
    "FREQ",
    "FREQ=SECONDLY",
    "FREQ=MINUTELY",
    "FREQ=HOURLY",
    "FREQ=daily",
    "freq=DAILY",
    "FREQ=DAILY,WEEKLY",
    "FREQ=DAILY;",
    ";FREQ=DAILY",
    "FREQ=DAILY;;COUNT=1",
    "FREQ = DAILY",
    "FREQ=DAILY ;COUNT=1",
    "FREQ=DAILY\n",
    "FREQ=DAILY\nEXDATE:20261231T000000",
    "FREQ=DAILY;FREQ=DAILY",
    "FREQ=YEARLY;BYMONTH=1;BYMONTH=2",
    "INTERVAL=1",
    "COUNT=3;INTERVAL=2",
    "FREQ=DAILY;COUNT=3;UNTIL=20261231T235959",
    *(f"FREQ=DAILY;INTERVAL={n}" for n in ("0", "-1", "+1", "01", "10000", "1.0", "1,2", "", "\u0661")),
    *(f"FREQ=DAILY;COUNT={n}" for n in ("0", "-1", "+1", "007", "100001", "9" * 30, " 1")),
    *(
        f"FREQ=DAILY;UNTIL={moment}"
        for moment in (
            *("20261231", "20261231T235959Z", "2026-12-31T23:59:59", "20260230T000000", "20261231T240000"),
            *(
                "20261231T235960",
                "19691231T235959",
                "99990101T000000",
                "20261231t235959",
                "",
                "20261301T000000",
            ),
        )
    ),
    *(f"FREQ=DAILY;WKST={day}" for day in ("", "M", "mo", "1MO", "MO,TU")),
    *(f"FREQ=DAILY;BYMONTH={n}" for n in ("0", "13", "-1", "01", "JAN", "", "1,", ",1", "1,,2", "1, 2")),
    *(f"FREQ=MONTHLY;BYMONTHDAY={n}" for n in ("0", "32", "-32", "+1", "01", "-0", "L")),
    "FREQ=WEEKLY;BYMONTHDAY=1",
    *(f"FREQ=YEARLY;BYYEARDAY={n}" for n in ("0", "367", "-367", "+1", "-01")),
    *(f"FREQ={frequency};BYYEARDAY=1" for frequency in ("MONTHLY", "WEEKLY", "DAILY")),
    *(
        f"FREQ=MONTHLY;BYDAY={day}"
        for day in ("", "0MO", "54MO", "-54MO", "+1MO", "01MO", "MO1", "mo", "XX", "MO,")
    ),
    "FREQ=WEEKLY;BYDAY=1MO",
    "FREQ=DAILY;BYDAY=MO,-1FR",
    *(f"FREQ=DAILY;BYHOUR={n}" for n in ("24", "-1", "+1", "09", "")),
    *(f"FREQ=DAILY;BYMINUTE={n}" for n in ("60", "-1", "05")),
    *(f"FREQ=DAILY;BYSECOND={n}" for n in ("60", "-1", "05")),
    *(f"FREQ=MONTHLY;BYDAY=MO;BYSETPOS={n}" for n in ("0", "367", "-367", "+1", "01")),
    "FREQ=MONTHLY;BYSETPOS=1",
    "FREQ=YEARLY;BYWEEKNO=1",
    "FREQ=YEARLY;RSCALE=GREGORIAN",
    "FREQ=YEARLY;SKIP=OMIT",
    "FREQ=DAILY;X-NAME=1",
    "FREQ=DAILY;COUNT=1=1",
]


@pytest.mark.parametrize("parts", TAKEN)
def test_what_the_dialect_takes(parts: str) -> None:
    read_rrule(f"RRULE:{parts}")


@pytest.mark.parametrize("parts", REFUSED)
def test_what_the_dialect_does_not_take(parts: str) -> None:
    with pytest.raises(RruleRefused):
        read_rrule(f"RRULE:{parts}")


@pytest.mark.parametrize(
    "text", ["", "FREQ=DAILY", "rrule:FREQ=DAILY", " RRULE:FREQ=DAILY", "RRULE:RRULE:FREQ=DAILY"]
)
def test_a_rule_starts_with_its_name(text: str) -> None:
    with pytest.raises(RruleRefused):
        read_rrule(text)


def test_the_longest_text_has_4096_characters() -> None:
    """Repeats in a list are allowed, so a text of exactly that length can be written."""
    longest = "RRULE:FREQ=YEARLY;BYMONTH=" + "12," * 1356 + "12"
    assert len(longest) == 4096
    read_rrule(longest)
    with pytest.raises(RruleRefused, match="4097 characters"):
        read_rrule(longest[:-2] + "1,1")


def test_the_message_names_the_part_and_the_right_form() -> None:
    with pytest.raises(RruleRefused) as caught:
        read_rrule("RRULE:FREQ=MONTHLY;BYMONTHDAY=1,32")
    assert str(caught.value) == ("BYMONTHDAY: '32' must be 1 to 31, or -31 to -1, without + or leading zeros")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("FREQ=DAILY", "FREQ=DAILY"),
        ("RRULE:FREQ=HOURLY", "HOURLY"),
        ("RRULE:INTERVAL=2", "INTERVAL=2"),
        ("RRULE:FREQ=DAILY;;COUNT=1", ";COUNT=1"),
        ("RRULE:FREQ=DAILY;COUNT=3;COUNT=4", "COUNT=4"),
        ("RRULE:FREQ=DAILY;COUNT=3;UNTIL=20260230T000000", "20260230"),
        ("RRULE:UNTIL=20260228T000000;COUNT=3;FREQ=DAILY", "UNTIL="),
        ("RRULE:FREQ=MONTHLY;BYMONTHDAY=1,32,33", "32,33"),
        ("RRULE:FREQ=MONTHLY;BYDAY=MO,54TU", "54TU"),
        ("RRULE:FREQ=WEEKLY;BYDAY=MO,-1TU", "-1TU"),
        ("RRULE:FREQ=WEEKLY;BYDAY=MO;BYMONTHDAY=1", "BYMONTHDAY=1"),
        ("RRULE:FREQ=DAILY;BYSETPOS=1", "BYSETPOS=1"),
        ("RRULE:FREQ=YEARLY;BYWEEKNO=20", "BYWEEKNO=20"),
        ("RRULE:FREQ=DAILY;BYHOUR=9,9 ", "9 "),
    ],
)
def test_a_refusal_points_at_its_place(text: str, place: str) -> None:
    with pytest.raises(RruleRefused) as caught:
        read_rrule(text)
    assert text[caught.value.position :].startswith(place)
    line, caret = caught.value.shown().split("\n")
    assert line[len(caret) - 1 :].startswith(place[:10])
    assert "\n" not in caught.value.message


def test_what_is_read_is_what_is_written() -> None:
    """Lists are sets: order and repeats say nothing."""
    assert read_rrule("RRULE:FREQ=WEEKLY") == RruleText("WEEKLY")
    assert read_rrule(
        "RRULE:BYSETPOS=2,-1,2;BYDAY=-1FR,MO,2SU,MO;BYMONTHDAY=31,-1,5;WKST=SU;FREQ=MONTHLY;INTERVAL=3;COUNT=7"
    ) == RruleText(
        "MONTHLY",
        interval=3,
        count=7,
        week_start=6,
        month_days=(-1, 5, 31),
        days=(ByDay(0, 0), ByDay(4, -1), ByDay(6, 2)),
        positions=(-1, 2),
    )
    assert read_rrule(
        "RRULE:FREQ=YEARLY;UNTIL=20281231T235959;BYYEARDAY=366,1;BYMONTH=12,1;"
        "BYHOUR=23,0;BYMINUTE=30;BYSECOND=59,0"
    ) == RruleText(
        "YEARLY",
        until=datetime(2028, 12, 31, 23, 59, 59),  # noqa: DTZ001 - a wall time
        months=(1, 12),
        year_days=(1, 366),
        hours=(0, 23),
        minutes=(30,),
        seconds=(0, 59),
    )


def test_the_task_refused_carries_the_text_and_its_caret() -> None:
    """Whoever calls the API or a command sees where the text stops being one."""
    for schedule, excerpt in (
        ({"cron": "0 9  * * MUN"}, "0 9 * * MUN\n        ^"),
        (
            {"rrule": "RRULE:FREQ=DAILY;BYHOUR=24", "start": "2026-11-30T09:00:00"},
            "RRULE:FREQ=DAILY;BYHOUR=24\n                        ^",
        ),
        ({"any": [{"cron": "61 * * * *"}]}, "61 * * * *\n^"),
        ({"every_s": 0}, ""),
    ):
        with pytest.raises(TaskRefused) as caught:
            fold({"entrypoint": "x", "schedule": schedule})
        assert caught.value.excerpt == excerpt
        assert "\n" not in str(caught.value)
