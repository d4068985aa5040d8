"""Each phrase against words written by hand. The day rule must be said as Vixie's cron has it."""

from __future__ import annotations

import pytest

from ledger.authored.cron import read_cron
from ledger.authored.models import ScheduleDefinition
from ledger.moves.definitions import parse
from projector import door
from projector.preview.cautions import cautions, uneven_steps
from projector.preview.words import cron_words, schedule_words


def schedule(**members: object) -> ScheduleDefinition:
    return parse(door.read_task({"entrypoint": "x", "schedule": members}).canonical).schedule


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # Times.
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("5/15 * * * *", "every 15 minutes from minute 5"),
        ("0 * * * *", "every hour at minute 0"),
        ("1-5,9 * * * *", "at the minutes 1 to 5 and 9 of every hour"),
        ("*/7 * * * *", "at every 7th minute from 0 to 56 of every hour"),
        ("30 2 * * *", "at 02:30, every day"),
        ("0 9,17 * * *", "at 09:00 and 17:00, every day"),
        ("0 */5 * * *", "at 00:00, 05:00, 10:00, 15:00 and 20:00, every day"),
        ("10 */2 * * *", "every 2 hours from 00:10, every day"),
        ("5 9-17 * * *", "every hour from 09:05 to 17:05, every day"),
        ("*/10 9-17 * * *", "every 10 minutes from 09:00 to 17:50, every day"),
        ("* 9 * * *", "every minute from 09:00 to 09:59, every day"),
        ("*/20 8,12,16 * * *", "every 20 minutes, in the hours 8, 12 and 16, every day"),
        ("*/7 9-17 * * *", "at every 7th minute from 0 to 56, in the hours 9 to 17, every day"),
        ("0 9,12,15,18,21-23 * * *", "at minute 0 of the hours 9, 12, 15, 18 and 21 to 23, every day"),
        ("@daily", "at 00:00, every day"),
        ("@hourly", "every hour at minute 0"),
        # Days: one field.
        ("0 9 1 * *", "at 09:00, on the 1st of the month"),
        ("0 9 2,13,22-24 * *", "at 09:00, on the 2nd, the 13th and the 22nd to the 24th of the month"),
        ("0 0 */2 * *", "at 00:00, on every 2nd day from the 1st to the 31st of the month"),
        ("0 0 L * *", "at 00:00, on the last day of the month"),
        ("0 0 1,L * *", "at 00:00, on the 1st and the last day of the month"),
        ("0 9 15W * *", "at 09:00, on the weekday nearest to the 15th of the month"),
        ("0 9 * * 1-5", "at 09:00, on Monday to Friday"),
        ("0 9 ? * SAT,SUN", "at 09:00, on Saturday and Sunday"),
        ("0 9 * * FRI-SUN", "at 09:00, on Friday to Sunday"),
        ("0 9 * * FRI#2", "at 09:00, on the 2nd Friday of the month"),
        ("0 9 * * MON,FRI#2,5L", "at 09:00, on Monday, the 2nd Friday and the last Friday of the month"),
        # Days: both fields. Neither starts with a star: one is enough.
        ("0 9 1 * MON", "at 09:00, on the 1st of the month, and also on every Monday"),
        (
            "0 9 1,15 * MON,FRI",
            "at 09:00, on the 1st and the 15th of the month, and also on every Monday and every Friday",
        ),
        ("0 9 1-31 * MON", "at 09:00, every day"),
        # One of them starts with a star: both must fit.
        (
            "0 9 */2 * MON",
            "at 09:00, on the days that are both Monday and "
            "every 2nd day from the 1st to the 31st of the month",
        ),
        (
            "0 9 1-7 * */6",
            "at 09:00, on the days that are both Saturday or Sunday and the 1st to the 7th of the month",
        ),
        ("0 9 * * MON", "at 09:00, on Monday"),
        # Months.
        ("0 9 * 1 *", "at 09:00, every day, in January"),
        ("0 9 * JAN,JUN-AUG *", "at 09:00, every day, in January and June to August"),
        ("@yearly", "at 00:00, on the 1st of the month, in January"),
    ],
)
def test_five_fields(text: str, words: str) -> None:
    assert cron_words(read_cron(text)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("* * * * * *", "every second"),
        ("*/10 * * * * *", "every 10 seconds"),
        ("30 * * * * *", "at second 30 of the minute"),
        ("30 0 9 * * *", "at 09:00:30, every day"),
        ("0 0 9 * * *", "at 09:00, every day"),
        (
            "15 */5 9-17 * * MON-FRI",
            "at second 15 of the minute, in these minutes: "
            "every 5 minutes from 09:00 to 17:55, on Monday to Friday",
        ),
    ],
)
def test_six_fields(text: str, words: str) -> None:
    assert cron_words(read_cron(text, seconds=True)) == words


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=DAILY", "every day, at 09:30"),
        ("FREQ=DAILY;INTERVAL=3;BYHOUR=8,20", "every 3 days, at 08:30 and 20:30"),
        ("FREQ=WEEKLY", "every week, on Monday, at 09:30"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,FR", "every week, on Monday to Wednesday and Friday, at 09:30"),
        (
            "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU",
            "every 2 weeks, on Sunday, at 09:30, weeks beginning on Sunday",
        ),
        ("FREQ=MONTHLY", "every month, on the 30th of the month, at 09:30"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,-1", "every month, on the 1st and the last day of the month, at 09:30"),
        ("FREQ=MONTHLY;BYDAY=2FR", "every month, on the 2nd Friday of the month, at 09:30"),
        ("FREQ=MONTHLY;BYDAY=-1MO", "every month, on the last Monday of the month, at 09:30"),
        (
            "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
            "every month, on the days that are both Friday and the 13th of the month, at 09:30",
        ),
        (
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            "every month, on Monday to Friday, at 09:30, of these only the last of each period",
        ),
        ("FREQ=YEARLY", "every year, on the 30th of the month, in November, at 09:30"),
        ("FREQ=YEARLY;BYYEARDAY=100", "every year, on the 100th day of the year, at 09:30"),
        ("FREQ=YEARLY;BYDAY=20MO", "every year, on the 20th Monday of the year, at 09:30"),
        ("FREQ=YEARLY;BYMONTH=3;BYDAY=1SU", "every year, on the 1st Sunday of the month, in March, at 09:30"),
        (
            "FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,15,30,45",
            "every day, at hours 9 and 10, minutes 0, 15, 30 and 45 and second 0",
        ),
    ],
)
def test_rrules(rule: str, words: str) -> None:
    said = schedule_words(schedule(rrule=f"RRULE:{rule}", start="2026-11-30T09:30:00"))
    # The start stands before the ends, and after all else.
    assert said == f"{words}, from 2026-11-30 09:30:00 on"


def test_the_ends_of_rrules() -> None:
    ends = {
        "COUNT=1": "once",
        "COUNT=10": "10 times",
        "UNTIL=20270101T000000": "until 2027-01-01 00:00:00, which counts",
    }
    for end, words in ends.items():
        said = schedule_words(schedule(rrule=f"RRULE:FREQ=DAILY;{end}", start="2026-11-30T09:30:15"))
        assert said == f"every day, at 09:30:15, from 2026-11-30 09:30:15 on, {words}"


def test_other_kinds_and_bounds() -> None:
    assert schedule_words(schedule(every_s="15m")) == "every 15 minutes, counted from 1970-01-01T00:00:00Z"
    assert schedule_words(schedule(every_s=86400)) == "every day, counted from 1970-01-01T00:00:00Z"
    assert schedule_words(schedule(every_s=5401)).startswith("every 1 hour 30 minutes 1 second, counted")
    assert schedule_words(schedule(at="2026-12-24T18:00:00+01:00")) == "once, at 2026-12-24T17:00:00Z"
    either = schedule(any=[{"cron": "0 9 * * *"}, {"at": "2026-12-24T18:00:00Z"}])
    assert schedule_words(either) == "whichever comes: at 09:00, every day; or once, at 2026-12-24T18:00:00Z"
    bounded = schedule(
        cron="0 9 * * *",
        starts_at="2026-01-01T00:00:00Z",
        ends_at="2027-01-01T00:00:00Z",
        exclude=[
            {"on": "12-25"},
            {"on": "2026-05-01"},
            {"from": "2026-08-01T00:00:00Z", "to": "2026-08-02T00:00:00Z"},
        ],
        spread_s=300,
    )
    assert schedule_words(bounded) == (
        "at 09:00, every day, not before 2026-01-01T00:00:00Z, before 2027-01-01T00:00:00Z, "
        "except 12-25 of every year, 2026-05-01 and 2026-08-01T00:00:00Z to 2026-08-02T00:00:00Z, "
        "each run started up to 5 minutes after its slot"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "*/7 * * * *",
            ["*/7 does not tile the minutes: after minute 56 comes minute 0, 4 minutes later, not 7"],
        ),
        ("0 */5 * * *", ["*/5 does not tile the hours: after 20:00 comes 00:00, 4 hours later, not 5"]),
        (
            "5/7 * * * *",
            ["5/7 does not tile the minutes: after minute 54 comes minute 5, 11 minutes later, not 7"],
        ),
        (
            "0 0 * */5 *",
            ["*/5 does not tile the months: after November comes January, 2 months later, not 5"],
        ),
        ("0 0 * * MON/2", ["MON/2 does not tile the days: after Friday comes Monday, 3 days later, not 2"]),
        ("0 0 */2 * *", ["*/2 starts again each month, at the 1st, whatever day the last one had"]),
        (
            "*/70 * * * *",
            ["*/70 does not tile the minutes: after minute 0 comes minute 0, 60 minutes later, not 70"],
        ),
        ("*/15 */6 * * *", []),
        ("0-59/7 9 * * *", []),
    ],
)
def test_steps_that_do_not_tile(text: str, said: list[str]) -> None:
    assert list(uneven_steps(read_cron(text))) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "0 9 31 * *",
            [
                "February, April, June, September and November have no 31st: "
                "nothing runs for it there; L is the last day"
            ],
        ),
        ("0 9 30 1-3 *", ["February has no 30th: nothing runs for it there; L is the last day"]),
        ("0 9 31 1 *", []),
        (
            "0 9 29 * *",
            ["February has a 29th in leap years only: in others nothing runs for it; L is the last day"],
        ),
        ("0 9 * * FRI#5", ["most months have no 5th Friday: nothing runs for it there"]),
        (
            "0 9 1 * MON",
            ["both day fields are given and none starts with *: a day that fits either of them is enough"],
        ),
        (
            "0 9 */3 * MON-TUE",
            [
                "*/3 starts again each month, at the 1st, whatever day the last one had",
                "both day fields are given and one starts with *: a day must fit both",
            ],
        ),
        ("0 9 L * ?", []),
    ],
)
def test_days(text: str, said: list[str]) -> None:
    assert cautions(schedule(cron=text), changes=False) == said


def test_what_follows_real_time_is_said_where_clocks_change() -> None:
    for text in ("*/5 9 * * *", "0 * * * *"):
        (said,) = cautions(schedule(cron=text), changes=True)
        assert said.startswith("its minute or hour field starts with *: it follows real time."), said
        assert cautions(schedule(cron=text), changes=False) == []
    (said,) = cautions(schedule(cron="0 0 9 * * *", seconds=True), changes=True)
    assert said.startswith("a rule with seconds: it follows real time.")
    assert cautions(schedule(cron="0 9 * * *"), changes=True) == []
    (said,) = cautions(schedule(every_s="1d"), changes=True)
    assert said.startswith("every day is real time: its local time of day moves")
    assert cautions(schedule(every_s="1h"), changes=True) == []
