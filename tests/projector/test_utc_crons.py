"""UTC cron texts for platforms without zones: worked by hand, and held to the slots of the local rule."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone
from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import projector
from ledger.authored.cron import read_cron
from ledger.errors import BadInput
from ledger.moves.definitions import parse
from projector import UtcCron, interval_utc_cron, weekly_utc_crons
from projector.door import read_task
from projector.slots import Slots, schedule_of
from projector.slots.zones import zone

WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
ZONES = (
    *("UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Kiritimati"),
    *("Pacific/Apia", "Africa/Casablanca", "Asia/Kathmandu", "America/St_Johns", "Pacific/Pago_Pago"),
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def slots(cron: str, timezone: str = "UTC") -> Slots:
    task = {"entrypoint": "x", "schedule": {"cron": cron, "timezone": timezone}}
    return schedule_of(parse(read_task(task).canonical).schedule)


def between(walk: Slots, start: datetime, end: datetime) -> list[datetime]:
    found, slot = [], walk.next(start - timedelta(microseconds=1))
    while slot is not None and slot < end:
        found.append(slot)
        slot = walk.next(slot)
    return found


def test_each_weekday_is_rolled_on_its_own() -> None:
    """Local Monday 23:00 in New York is Tuesday 04:00 in UTC, Saturday is Sunday: the week wraps."""
    (winter,) = weekly_utc_crons(["MON", "SAT"], "23:00", "America/New_York", start=at("2026-12-01"))
    assert winter == UtcCron("0 4 * * SUN,TUE", at("2026-12-01"), at("2027-03-14 07:00"))
    (east,) = weekly_utc_crons(["SUN", "MON"], time(2, 15), "Asia/Kolkata", start=at("2026-12-01"))
    assert east == UtcCron("45 20 * * SUN,SAT", at("2026-12-01"), at("2200-01-01"))
    (paris,) = weekly_utc_crons(["mon"], "09:00", "Europe/Paris", start=at("2027-06-01"))
    assert (paris.cron, paris.until) == ("0 7 * * MON", at("2027-10-31 01:00"))
    (daily,) = weekly_utc_crons(WEEKDAYS, "00:00", "UTC", start=at("2027-06-01"))
    assert daily.cron == "0 0 * * *"
    (twice,) = weekly_utc_crons(["FRI", "FRI"], "12:00", "UTC", start=at("2027-06-01"))
    assert twice.cron == "0 12 * * FRI"


def test_a_year_of_texts() -> None:
    assert weekly_utc_crons(
        ["MON"], "09:00", "Europe/Paris", start=at("2027-01-01"), until=at("2028-01-01")
    ) == [
        UtcCron("0 8 * * MON", at("2027-01-01"), at("2027-03-28 01:00")),
        UtcCron("0 7 * * MON", at("2027-03-28 01:00"), at("2027-10-31 01:00")),
        # From 01:00 to 02:00 UTC the clocks show an hour again that they have shown already.
        UtcCron("0 8 * * MON", at("2027-10-31 02:00"), at("2028-01-01")),
    ]


def test_a_time_that_clocks_skip_has_a_text_of_its_own() -> None:
    """It holds from an hour before the change, so that there is time to put it in place."""
    found = weekly_utc_crons(["SUN"], "02:30", "Europe/Paris", start=at("2027-03-01"), until=at("2027-04-12"))
    assert found == [
        UtcCron("30 1 * * SUN", at("2027-03-01"), at("2027-03-28 00:00")),
        UtcCron("0 1 * * SUN", at("2027-03-28 00:00"), at("2027-03-28 01:01")),
        UtcCron("30 0 * * SUN", at("2027-03-28 01:01"), at("2027-04-12")),
    ]


def test_whoever_replaces_each_text_at_its_end_loses_no_week() -> None:
    """Without `until` too: on 2027-03-14 New York has no 02:30, and the rule runs at 07:00 UTC."""
    start, said = at("2027-03-10"), []
    for _ in range(3):
        (text,) = weekly_utc_crons(["SUN"], "02:30", "America/New_York", start=start)
        said.append(text)
        start = text.until
    assert said == [
        UtcCron("30 7 * * SUN", at("2027-03-10"), at("2027-03-14 06:00")),
        UtcCron("0 7 * * SUN", at("2027-03-14 06:00"), at("2027-03-14 07:01")),
        UtcCron("30 6 * * SUN", at("2027-03-14 07:01"), at("2027-11-07 06:00")),
    ]
    # A weekday that the change does not touch has no text of its own there.
    (monday,) = weekly_utc_crons(["MON"], "02:30", "America/New_York", start=at("2027-03-10"))
    assert monday.until == at("2027-03-14 07:00")


def test_times_may_be_text() -> None:
    said = weekly_utc_crons(
        ["MON"], "09:00", "UTC", start="2026-12-01T00:00:00Z", until="2026-12-31T01:00:00+01:00"
    )
    assert said == [UtcCron("0 9 * * MON", at("2026-12-01"), at("2026-12-31"))]


class Asked(NamedTuple):
    """What is asked: weekdays, minute of the day, zone, and seconds from 1970 to begin and end at."""

    days: set[str]
    minute: int
    timezone: str
    begin: int
    end: int


def gaps(timezone: str) -> list[tuple[int, int, int]]:
    """Where clocks go forward from 1975 to 2040: the instant, and the wall times that are missing."""
    where = zone(timezone)
    return [
        (start, start + before, start + after)
        for start, before, after in zip(where.starts[1:], where.offsets, where.offsets[1:], strict=False)
        if int(at("1975-01-01").timestamp()) < start < int(at("2040-01-01").timestamp()) and before < after
    ]


GAPS = {name: gaps(name) for name in ZONES if gaps(name)}


@st.composite
def asked_anywhere(draw: st.DrawFn) -> Asked:
    begin = draw(st.integers(int(at("1975-01-01").timestamp()), int(at("2040-01-01").timestamp())))
    days = draw(st.sets(st.sampled_from(WEEKDAYS), min_size=1))
    end = begin + draw(st.integers(1, 500 * 86_400))
    return Asked(days, draw(st.integers(0, 1_439)), draw(st.sampled_from(ZONES)), begin, end)


@st.composite
def asked_in_a_gap(draw: st.DrawFn) -> Asked:
    """A time that does not exist on one of its days, from shortly before to shortly after."""
    timezone = draw(st.sampled_from(sorted(GAPS)))
    change, low, high = draw(st.sampled_from(GAPS[timezone]))
    wall = draw(st.integers(low // 60, high // 60 - 1))
    days = draw(st.sets(st.sampled_from(WEEKDAYS))) | {WEEKDAYS[(wall // 1_440 + 4) % 7]}
    near = st.integers(0, 7_300) | st.integers(0, 10 * 86_400)
    return Asked(days, wall % 1_440, timezone, change - draw(near), change + 1 + draw(near))


def weekly(asked: Asked, start: datetime, until: datetime | None = None) -> list[UtcCron]:
    when = f"{asked.minute // 60:02}:{asked.minute % 60:02}"
    return weekly_utc_crons(sorted(asked.days), when, asked.timezone, start=start, until=until)


@given(asked=asked_in_a_gap() | asked_anywhere())
@example(asked=Asked({"FRI"}, 0, "Pacific/Apia", 1_324_339_200, 1_326_339_200))
@example(asked=Asked({"SUN"}, 150, "Europe/Paris", 1_805_500_800, 1_806_400_800))
def test_they_have_the_slots_of_the_local_rule(asked: Asked) -> None:
    """Within their times, together, exactly those: none lost where clocks change, none twice. And so for
    whoever asks for one text at a time, each from the end of the one before.
    """
    begin, end = (datetime.fromtimestamp(seconds, UTC) for seconds in (asked.begin, asked.end))
    local = f"{asked.minute % 60} {asked.minute // 60} * * {','.join(sorted(asked.days))}"
    wanted = between(slots(local, asked.timezone), begin, end)
    texts = weekly(asked, begin, end)
    assert [slot for text in texts for slot in between(slots(text.cron), text.since, text.until)] == wanted
    one_by_one, start = [], begin
    while start < end:
        (text,) = weekly(asked, start)
        assert start <= text.since < text.until
        if text.since < end:
            one_by_one.append(text._replace(until=min(text.until, end)))
        start = text.until
    assert one_by_one == texts


@pytest.mark.parametrize("hours", range(1, 25))
def test_hours_are_taken_if_and_only_if_they_tile_the_day(hours: int) -> None:
    """What is refused would leave an uneven gap; what is taken leaves none."""
    every = timedelta(hours=hours)
    walked = between(
        slots(f"0 {'0' if hours == 24 else f'*/{hours}'} * * *"), at("2027-01-01"), at("2027-01-05")
    )
    tiles = {b - a for a, b in pairwise(walked)} == {every}
    assert tiles == (hours in (1, 2, 3, 4, 6, 8, 12, 24))
    if not tiles:
        with pytest.raises(BadInput, match="do not divide the day"):
            interval_utc_cron(every)
        return
    taken = between(slots(interval_utc_cron(f"{hours}h", minute=7)), at("2027-01-01"), at("2027-01-05"))
    assert {b - a for a, b in pairwise(taken)} == {every}
    assert taken[0] == at("2027-01-01 00:07")


@pytest.mark.parametrize("minutes", range(1, 60))
def test_minutes_are_taken_if_and_only_if_they_tile_the_hour(minutes: int) -> None:
    if 60 % minutes:
        with pytest.raises(BadInput, match="do not divide the hour"):
            interval_utc_cron(f"{minutes}m")
        return
    for first in {0, minutes - 1}:
        text = interval_utc_cron(minutes * 60, minute=first)
        assert read_cron(text).uneven == ()
        taken = between(slots(text), at("2027-01-01"), at("2027-01-02"))
        assert {b - a for a, b in pairwise(taken)} == {timedelta(minutes=minutes)}
        assert taken[0] == at("2027-01-01") + timedelta(minutes=first)


def test_as_they_are_written() -> None:
    assert interval_utc_cron("6h", minute=5) == "5 */6 * * *"
    assert interval_utc_cron("1h") == "0 * * * *"
    assert interval_utc_cron("1d", minute=30) == "30 0 * * *"
    assert interval_utc_cron("15m", minute=5) == "5/15 * * * *"
    assert interval_utc_cron("15m") == "*/15 * * * *"
    assert interval_utc_cron(60) == "* * * * *"


@pytest.mark.parametrize(
    ("every", "minute", "said"),
    [
        (
            "5h",
            0,
            "18000 s do not divide the day: a cron text would leave a shorter gap at its end; take 4h or 6h",
        ),
        (
            "7m",
            0,
            "420 s do not divide the hour: a cron text would leave a shorter gap at its end; take 6m or 10m",
        ),
        ("90m", 0, "take 1h or 2h, or a schedule of every_s"),
        ("48h", 0, "take 24h, or a schedule of every_s"),
        (30, 0, "take 1m, or a schedule of every_s"),
        ("often", 0, "every: 'often' is no duration"),
        ("", 0, "every: '' is no duration"),
        (0, 0, "every: 0 is no interval"),
        (True, 0, "every: true is no interval"),
        ("6h", 60, "minute: 60 is not between 0 and 59"),
        ("15m", 15, "minute: 15 is not between 0 and 14"),
    ],
)
def test_intervals_that_are_refused(every: object, minute: int, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        interval_utc_cron(every, minute=minute)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"weekdays": ["MON", "XYZ"]}, "weekdays: 'XYZ' is none; write SUN, MON"),
        ({"weekdays": []}, "weekdays: name at least one"),
        ({"at": "25:00"}, "at: '25:00' is no time of day; write 09:30"),
        ({"at": "noon"}, "at: 'noon' is no time of day"),
        ({"at": time(9, 30, 15)}, "whole minutes"),
        ({"at": time(9, 30, tzinfo=UTC)}, "must be a local time"),
        ({"timezone": "Europe/Pari"}, "timezone: 'Europe/Pari' is no zone"),
        ({"start": datetime(2027, 1, 1)}, "start: "),  # noqa: DTZ001 - what is refused
        ({"start": "2027-01-01"}, "start: '2027-01-01' is no timestamp"),
        ({"start": None}, "start: null is no instant; give an aware datetime, or text with an offset"),
        ({"until": 5}, "until: 5 is no instant"),
        ({"start": datetime.max.replace(tzinfo=timezone(timedelta(hours=-5)))}, "start: 9999-12-31"),
        ({"until": at("2026-01-01")}, "is not later than start"),
        ({"start": at("1960-01-01")}, "lies outside the years"),
        ({"timezone": "Africa/Monrovia", "start": at("1971-01-01")}, "has an offset with seconds then"),
    ],
)
def test_bad_input(changed: dict[str, object], said: str) -> None:
    given: dict[str, object] = {
        **{"weekdays": ["MON"], "at": "09:00", "timezone": "Europe/Paris", "start": at("2027-01-01")},
        **changed,
    }
    with pytest.raises(BadInput) as refused:
        weekly_utc_crons(**given)
    assert said in str(refused.value)


def test_the_room_offers_nothing_else() -> None:
    assert all(getattr(projector, name) is not None for name in projector.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        projector.nothing  # noqa: B018 - asked for what is not there
