"""What of RFC 5545 an rrule may say, part by part."""

from __future__ import annotations

import pytest

from ledger.authored.rrule import RruleRefused, check_rrule

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
    check_rrule(f"RRULE:{parts}")


@pytest.mark.parametrize("parts", REFUSED)
def test_what_the_dialect_does_not_take(parts: str) -> None:
    with pytest.raises(RruleRefused):
        check_rrule(f"RRULE:{parts}")


@pytest.mark.parametrize(
    "text", ["", "FREQ=DAILY", "rrule:FREQ=DAILY", " RRULE:FREQ=DAILY", "RRULE:RRULE:FREQ=DAILY"]
)
def test_a_rule_starts_with_its_name(text: str) -> None:
    with pytest.raises(RruleRefused):
        check_rrule(text)


def test_the_longest_text_has_4096_characters() -> None:
    """Repeats in a list are allowed, so a text of exactly that length can be written."""
    longest = "RRULE:FREQ=YEARLY;BYMONTH=" + "12," * 1356 + "12"
    assert len(longest) == 4096
    check_rrule(longest)
    with pytest.raises(RruleRefused, match="4097 characters"):
        check_rrule(longest[:-2] + "1,1")


def test_the_message_names_the_part_and_the_right_form() -> None:
    with pytest.raises(RruleRefused) as caught:
        check_rrule("RRULE:FREQ=MONTHLY;BYMONTHDAY=1,32")
    assert str(caught.value) == ("BYMONTHDAY: '32' must be 1 to 31, or -31 to -1, without + or leading zeros")
