"""The grammar of cron text, dialect 1: what it takes, what that means, and how it is folded."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

import pytest

from ledger.authored.cron import ALIASES, CronRefused, CronText, read_cron

MINUTES = tuple(range(60))
HOURS = tuple(range(24))
WEEK = frozenset(range(7))


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("0 9 * * *", "0 9 * * *"),
        ("  0 \t 9  *\t\t* \t* ", "0 9 * * *"),
        ("\r\n0 9 * * *\r\n", "0 9 * * *"),
        ("\t\r\n 0 9 * * mon-fri \n", "0 9 * * MON-FRI"),
        ("0 0 1 jan,Feb ?", "0 0 1 JAN,FEB ?"),
        ("0 0 l * *", "0 0 L * *"),
        ("0 0 15w * *", "0 0 15W * *"),
        ("0 0 * * fril", "0 0 * * FRIL"),
        ("007 09 * * *", "007 09 * * *"),
        ("@daily", "@DAILY"),
        (" @Hourly\n", "@HOURLY"),
    ],
)
def test_what_is_stored_is_folded_and_nothing_else(text: str, folded: str) -> None:
    assert read_cron(text).text == folded
    assert read_cron(folded).text == folded


@pytest.mark.parametrize(
    ("field", "members"),
    [
        ("*", MINUTES),
        ("*/1", MINUTES),
        ("*/15", (0, 15, 30, 45)),
        ("*/59", (0, 59)),
        ("*/60", (0,)),
        ("*/999", (0,)),
        ("5", (5,)),
        ("5-5", (5,)),
        ("1-1/3", (1,)),
        ("5/15", (5, 20, 35, 50)),
        ("59/15", (59,)),
        ("57/2", (57, 59)),
        ("0-10/2", (0, 2, 4, 6, 8, 10)),
        ("1-9/2", (1, 3, 5, 7, 9)),
        ("4-6/999", (4,)),
        ("58-1", (0, 1, 58, 59)),
        ("59-0", (0, 59)),
        ("0-59", MINUTES),
        ("3,1,2,3", (1, 2, 3)),
        ("*/30,7", (0, 7, 30)),
        ("7,*", MINUTES),
        ("000,01,059", (0, 1, 59)),
    ],
)
def test_minutes(field: str, members: tuple[int, ...]) -> None:
    assert read_cron(f"{field} 0 * * *").minutes == members


@pytest.mark.parametrize(
    ("field", "members"),
    [
        ("*", WEEK),
        ("?", WEEK),
        ("0", {0}),
        ("7", {0}),
        ("SUN", {0}),
        ("5-7", {5, 6, 0}),
        ("0-7", WEEK),
        ("SUN-7", WEEK),
        ("7-7", {0}),
        ("SUN-SUN", {0}),
        ("7-2", {0, 1, 2}),
        ("6-7", {6, 0}),
        ("6-0", {6, 0}),
        ("SAT-SUN", {6, 0}),
        ("FRI-MON", {5, 6, 0, 1}),
        ("WED-SUN", {3, 4, 5, 6, 0}),
        ("MON-5", {1, 2, 3, 4, 5}),
        ("5-7/2", {5, 0}),
        ("1-7/3", {1, 4, 0}),
        ("0-7/7", {0}),
        ("7/2", {0, 2, 4, 6}),
        ("5/1", {5, 6}),
        ("6/1", {6}),
        ("FRI/2", {5}),
        ("*/2", {0, 2, 4, 6}),
        ("mon,wed,7", {1, 3, 0}),
    ],
)
def test_weekdays(field: str, members: set[int]) -> None:
    assert read_cron(f"0 0 1 * {field}").days.weekdays == members


@pytest.mark.parametrize(
    ("field", "members"),
    [
        ("JAN", (1,)),
        ("NOV-FEB", (1, 2, 11, 12)),
        ("JAN-JAN", (1,)),
        ("*/5", (1, 6, 11)),
        ("OCT/2", (10, 12)),
        ("12/3", (12,)),
        ("FEB-8/3", (2, 5, 8)),
    ],
)
def test_months(field: str, members: tuple[int, ...]) -> None:
    assert read_cron(f"0 0 * {field} *").months == members


def test_six_fields_have_seconds_first() -> None:
    cron = read_cron("*/20 5 6 7 8 ?", seconds=True)
    assert (cron.seconds, cron.minutes, cron.hours, cron.months) == ((0, 20, 40), (5,), (6,), (8,))
    assert cron.days.days == {7}
    assert cron.has_seconds
    assert cron.real_time
    assert read_cron("5 6 7 8 ?").seconds == (0,)


def test_aliases_are_their_usual_five_fields() -> None:
    assert ALIASES == {
        "@YEARLY": "0 0 1 1 *",
        "@ANNUALLY": "0 0 1 1 *",
        "@MONTHLY": "0 0 1 * *",
        "@WEEKLY": "0 0 * * 0",
        "@DAILY": "0 0 * * *",
        "@MIDNIGHT": "0 0 * * *",
        "@HOURLY": "0 * * * *",
    }
    for alias, fields in ALIASES.items():
        assert _meaning(read_cron(alias)) == _meaning(read_cron(fields))


def _meaning(cron: CronText) -> tuple[object, ...]:
    return cron.minutes, cron.hours, cron.days, cron.months, cron.real_time, cron.normal


@pytest.mark.parametrize(
    ("text", "real_time"),
    [
        ("* * * * *", True),
        ("*/5 9 * * *", True),
        ("0 */2 * * *", True),
        ("*,5 9 * * *", True),
        ("0 *,5 * * *", True),
        ("@hourly", True),
        ("0 0-23 * * *", False),
        ("0-59 9 * * *", False),
        ("0,* 9 * * *", False),
        ("0 0,* * * *", False),
        ("0 9 * * *", False),
        ("@daily", False),
    ],
)
def test_the_spelling_says_whether_a_job_follows_real_time(text: str, real_time: bool) -> None:
    assert read_cron(text).real_time is real_time


@pytest.mark.parametrize(
    ("days", "weekdays", "both"),
    [
        ("1", "1", False),
        ("1-31", "5", False),
        ("16", "0-6", False),
        ("1,*", "5", False),
        ("*", "1", True),
        ("?", "1", True),
        ("1", "*", True),
        ("1", "?", True),
        ("*/2", "0", True),
        ("*,1", "0", True),
        ("1", "*/2", True),
    ],
)
def test_the_day_rule_goes_by_the_first_character(days: str, weekdays: str, both: bool) -> None:
    assert read_cron(f"0 0 {days} * {weekdays}").days.both is both


@pytest.mark.parametrize(
    ("days", "weekdays", "length", "first", "expected"),
    [
        # February 2026 begins on a Sunday and has 28 days; August 2026 on a Saturday and has 31.
        ("L", "*", 28, 0, (28,)),
        ("L", "?", 31, 6, (31,)),
        ("1,L", "*", 30, 0, (1, 30)),
        ("1W", "*", 31, 6, (3,)),
        ("1W", "*", 28, 0, (2,)),
        ("2W", "*", 31, 6, (3,)),
        ("28W", "*", 28, 1, (26,)),
        ("28W", "*", 29, 1, (29,)),
        ("8W", "*", 31, 6, (7,)),
        ("1W,2W", "*", 31, 6, (3,)),
        ("*", "SAT#1", 31, 6, (1,)),
        ("*", "MON#5", 31, 6, (31,)),
        ("*", "TUE#5", 31, 6, ()),
        ("*", "7#2", 31, 6, (9,)),
        ("*", "FRIL", 31, 6, (28,)),
        ("*", "0L", 28, 0, (22,)),
        ("*", "7L", 28, 0, (22,)),
        ("*", "MONL", 31, 6, (31,)),
        ("?", "MON,SUN#1", 28, 0, (1, 2, 9, 16, 23)),
        ("10,31", "SUN", 28, 0, (1, 8, 10, 15, 22)),
        ("*/10", "SUN", 31, 0, (1,)),
    ],
)
def test_the_days_of_a_month(
    days: str, weekdays: str, length: int, first: int, expected: tuple[int, ...]
) -> None:
    assert read_cron(f"0 0 {days} * {weekdays}").days.in_month(length, first) == expected


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("5-5 22-2 * NOV-FEB SUN-SUN", "5 0,1,2,22,23 * 1,2,11,12 0"),
        ("57/2 23/6 31/5 DEC/3 6/1", "57-59/2 23 31 12 6"),
        ("5/15 */2 1-5/4 JAN-MAR 5-7", "5-50/15 */2 1-5/4 1-3 0,5,6"),
        ("*/30,7 1-3,2 1,1 * 6,1-3", "0,7,30 1,2,3 1 * 1,2,3,6"),
        ("0 0 L,1W,5 * ?", "0 0 5 * *"),
        ("0 0 ? * FRI#2", "0 0 * * *"),
        ("1,* 0 * * MON", "* 0 * * 1"),
        ("@weekly", "0 0 * * 0"),
    ],
)
def test_the_normal_form_holds_plain_items_that_no_reader_takes_otherwise(text: str, normal: str) -> None:
    assert read_cron(text).normal == normal


def test_the_normal_form_of_six_fields_has_seconds_last() -> None:
    assert read_cron("10 1 2 3 4 5", seconds=True).normal == "1 2 3 4 5 10"


@pytest.mark.parametrize(
    ("text", "uneven"),
    [
        ("*/15 */6 * */3 *", ()),
        ("*/7 * * * *", ("*/7",)),
        ("0 */5 * * *", ("*/5",)),
        ("0 0 */2 * *", ("*/2",)),
        ("0 0 * */5 */2", ("*/5", "*/2")),
        ("5/15 * * * *", ()),
        # 1, 7, 13, 19 and again 1 are six hours apart all round.
        ("50/15 1/6 * * *", ("50/15",)),
        ("*/99 * * * *", ("*/99",)),
        ("0 9-17/3 * * *", ()),
        ("*/1 * */1 * *", ()),
    ],
)
def test_steps_that_do_not_tile_their_field_are_told(text: str, uneven: tuple[str, ...]) -> None:
    assert read_cron(text).uneven == uneven


def test_never_is_told_from_seldom(request: pytest.FixtureRequest) -> None:
    """A text is refused exactly if none of the 73,049 days of 2000 to 2199 fits it."""
    random = Random(request.config.getoption("randomly_seed", default=0))
    days = [date(2000, 1, 1) + timedelta(days=n) for n in range(73_049)]
    assert days[-1] == date(2199, 12, 31)
    texts = ["29 2 */7", "29 2 */6", "30 2 *", "31 4 ?", "*/29 2 */6", "*/30 2 1", "?/29 2 *", "* 2 MON#5"]
    for _ in range(60):
        day = random.choice(["29", "30", "31", "*/28", "*/29", "*/30", "29-31"])
        month = random.choice(["2", "4", "2,4,6", "9/99", "FEB-FEB", "*/2"])
        texts.append(f"{day} {month} {random.choice(['*', '?', '*/7', '*/6', '*,0', '0'])}")
    seen = {True: 0, False: 0}
    for text in texts:
        try:
            fits = read_cron(f"0 0 {text}").days
        except CronRefused as error:
            if "no date" not in error.message:
                continue
            fits = None
        day, month, weekday = text.split(" ")
        expected = any(_fits(when, day, month, weekday) for when in days)
        assert (fits is not None) is expected, text
        seen[expected] += 1
    assert min(seen.values()) >= 5


def _fits(when: date, day: str, month: str, weekday: str) -> bool:
    months = {"2": {2}, "4": {4}, "2,4,6": {2, 4, 6}, "9/99": {9}, "FEB-FEB": {2}, "*/2": {1, 3, 5, 7, 9, 11}}
    if when.month not in months[month]:
        return False
    if weekday == "MON#5":
        return when.isoweekday() == 1 and when.day > 28
    steps = {"*/28": {1, 29}, "*/29": {1, 30}, "*/30": {1, 31}, "29-31": {29, 30, 31}}
    by_date = when.day in (steps[day] if day in steps else {int(day)})
    weekdays = {"*/7": {7}, "*/6": {7, 6}, "0": {7}, "1": {1}}
    by_week = when.isoweekday() in weekdays.get(weekday, set(range(1, 8)))
    return by_date and by_week if day[0] == "*" or weekday[0] in "*?" else by_date or by_week
