"""The other kinds of schedule, and what lies over each: bounds, exclusions, the end of all series."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from ledger.authored.models import ScheduleDefinition
from ledger.errors import Misconfigured
from projector.slots import Passed, Slots, fields, schedule_of
from projector.slots.definition import read_schedule
from tests import hostile_texts
from tests.counting import lines_run

US = timedelta(microseconds=1)


def slots_of(**members: object) -> Slots:
    return schedule_of(ScheduleDefinition.model_validate(members))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def some(slots: Slots, after: str, count: int) -> list[str]:
    found: list[str] = []
    slot = slots.next(utc(after))
    while slot is not None and len(found) < count:
        found.append(slot.isoformat().removesuffix("+00:00"))
        slot = slots.next(slot)
    return found


def test_an_interval_stands_on_its_anchor_both_ways() -> None:
    every = slots_of(every_s=3600, anchor="2026-11-30T09:07:00.000001Z")
    assert some(every, "2026-11-30T09:07:00.000001", 2) == [
        "2026-11-30T10:07:00.000001",
        "2026-11-30T11:07:00.000001",
    ]
    # Slots lie before the anchor too: k is any integer.
    assert some(every, "2020-01-01T00:00:00", 1) == ["2020-01-01T00:07:00.000001"]
    assert every.previous(utc("2026-11-30T09:07:00.000001")) == utc("2026-11-30T08:07:00.000001")
    assert every.previous(utc("2026-11-30T09:07:00.000002")) == utc("2026-11-30T09:07:00.000001")


def test_an_interval_counts_from_1970_without_an_anchor() -> None:
    assert some(slots_of(every_s=86_400 * 7), "2026-11-30T00:00:00", 1) == ["2026-12-03T00:00:00"]
    assert some(slots_of(every_s=7), "1969-12-31T23:59:52", 2) == [
        "1969-12-31T23:59:53",
        "1970-01-01T00:00:00",
    ]


def test_at_is_one_slot() -> None:
    once = slots_of(at="2026-11-30T10:00:00.25Z")
    slot = utc("2026-11-30T10:00:00.250000")
    assert once.next(slot - US) == slot
    assert once.next(slot) is None
    assert once.previous(slot + US) == slot
    assert once.previous(slot) is None
    assert slots_of(at="2200-01-01T00:00:00Z").next(utc("2026-01-01T00:00:00")) is None


def test_a_union_is_sorted_and_equal_slots_are_one() -> None:
    union = slots_of(
        any=[
            {"cron": "0 9 * * *", "timezone": "Europe/Paris"},
            {"cron": "0 8 * * *"},
            {"every_s": 43_200},
            {"at": "2026-11-30T08:00:00Z"},
            {"at": "2026-11-30T08:30:00Z"},
        ]
    )
    assert some(union, "2026-11-29T12:00:00", 5) == [
        "2026-11-30T00:00:00",
        "2026-11-30T08:00:00",
        "2026-11-30T08:30:00",
        "2026-11-30T12:00:00",
        "2026-12-01T00:00:00",
    ]
    assert union.previous(utc("2026-11-30T08:30:00")) == utc("2026-11-30T08:00:00")
    assert union.previous(utc("2026-11-30T08:00:00")) == utc("2026-11-30T00:00:00")


def test_bounds_take_the_start_and_leave_the_end() -> None:
    bounded = slots_of(cron="0 * * * *", starts_at="2026-11-30T10:00:00Z", ends_at="2026-11-30T12:00:00Z")
    assert some(bounded, "1800-01-01T00:00:00", 9) == ["2026-11-30T10:00:00", "2026-11-30T11:00:00"]
    assert bounded.previous(utc("2100-01-01T00:00:00")) == utc("2026-11-30T11:00:00")
    assert bounded.previous(utc("2026-11-30T10:00:00")) is None
    assert bounded.next(utc("2026-11-30T11:00:00")) is None


def test_excluded_days_are_local_days_at_the_slot() -> None:
    """23:30 in New York on the 24th is the 25th in UTC, and the day that counts is the zone's."""
    members = {"cron": "30 23 * * *", "timezone": "America/New_York"}
    assert some(slots_of(**members, exclude=[{"on": "12-25"}]), "2026-12-24T00:00:00", 3) == [
        "2026-12-24T04:30:00",
        "2026-12-25T04:30:00",
        "2026-12-27T04:30:00",
    ]
    once = slots_of(**members, exclude=[{"on": "2026-12-25"}])
    assert once.next(utc("2026-12-25T04:30:00")) == utc("2026-12-27T04:30:00")
    assert once.next(utc("2027-12-25T04:30:00")) == utc("2027-12-26T04:30:00")
    assert once.previous(utc("2026-12-27T04:30:00")) == utc("2026-12-25T04:30:00")


def test_excluded_days_count_at_the_instant_a_missing_time_lands() -> None:
    """23:30 of 30 March 2024 is missing in Nuuk and lands on midnight, which is the 31st."""
    members = {"cron": "30 23 * * 6", "timezone": "America/Nuuk"}
    landing = utc("2024-03-31T01:00:00")
    after = utc("2024-03-30T00:00:00")
    assert slots_of(**members).next(after) == landing
    assert slots_of(**members, exclude=[{"on": "2024-03-30"}]).next(after) == landing
    assert slots_of(**members, exclude=[{"on": "2024-03-31"}]).next(after) == utc("2024-04-07T00:30:00")


def test_the_29th_of_february_is_excluded_in_leap_years() -> None:
    days = slots_of(cron="0 0 L 2 *", exclude=[{"on": "02-29"}])
    assert some(days, "2027-01-01T00:00:00", 3) == [
        "2027-02-28T00:00:00",
        "2029-02-28T00:00:00",
        "2030-02-28T00:00:00",
    ]


def test_excluded_spans_leave_their_end() -> None:
    spans = [
        {"from": "2026-11-30T11:00:00Z", "to": "2026-11-30T12:00:00Z"},
        {"from": "2026-11-30T10:00:00.000001Z", "to": "2026-11-30T11:30:00Z"},
        {"from": "2026-11-30T14:00:00Z", "to": "2026-11-30T14:00:00.000001Z"},
    ]
    hourly = slots_of(every_s=3600, exclude=spans)
    assert some(hourly, "2026-11-30T09:00:00", 4) == [
        "2026-11-30T10:00:00",
        "2026-11-30T12:00:00",
        "2026-11-30T13:00:00",
        "2026-11-30T15:00:00",
    ]
    assert hourly.previous(utc("2026-11-30T15:00:00")) == utc("2026-11-30T13:00:00")
    assert hourly.previous(utc("2026-11-30T12:00:00")) == utc("2026-11-30T10:00:00")
    assert not hourly.holds(utc("2026-11-30T11:00:00"))


def test_an_excluded_day_may_show_twice_or_in_parts() -> None:
    """At the end of 29 February 2024 Almaty's clock went back over midnight to 23:00 of the same day."""
    members = {"cron": "*/30 * * * *", "timezone": "Asia/Almaty"}
    excluded = slots_of(**members, exclude=[{"on": "2024-02-29"}])
    # 18:00Z is 23:00 for the second time; 19:00Z is the first midnight that the clock keeps.
    assert excluded.next(utc("2024-02-28T18:00:00")) == utc("2024-02-29T19:00:00")
    assert excluded.previous(utc("2024-02-29T19:00:00")) == utc("2024-02-28T17:30:00")


def test_a_clock_that_goes_back_over_midnight_shows_one_day_between_two_parts_of_another() -> None:
    """On 7 November 2010 at 00:01 St John's clock went back to 23:01 of the 6th: 02:30Z alone is the 7th."""
    members = {"cron": "* * * * *", "timezone": "America/St_Johns"}
    midnight, again = utc("2010-11-07T02:30:00"), utc("2010-11-07T03:30:00")
    sixth = slots_of(**members, exclude=[{"on": "2010-11-06"}])
    assert sixth.next(utc("2010-11-06T12:00:00")) == midnight
    assert sixth.next(midnight) == again
    assert sixth.previous(again) == midnight
    seventh = slots_of(**members, exclude=[{"on": "2010-11-07"}])
    assert seventh.next(midnight - US) == midnight + timedelta(minutes=1)
    assert seventh.previous(midnight + timedelta(minutes=1)) == midnight - timedelta(minutes=1)
    assert seventh.next(again - US) == utc("2010-11-08T03:30:00")


def test_exclusions_may_leave_nothing() -> None:
    all_of_it = [{"from": "1970-01-01T00:00:00Z", "to": "9999-12-31T23:59:59Z"}]
    assert slots_of(cron="* * * * *", exclude=all_of_it).next(utc("2026-01-01T00:00:00")) is None
    late = slots_of(cron="* * * * *", starts_at="9998-01-01T00:00:00Z")
    assert late.next(utc("2026-01-01T00:00:00")) is None
    assert late.previous(utc("2026-01-01T00:00:00")) is None
    yearly = [{"on": f"{month:02}-01"} for month in range(1, 13)]
    nothing = slots_of(cron="0 0 1 * *", exclude=yearly)
    assert nothing.next(utc("2026-01-01T00:00:00")) is None
    assert nothing.previous(utc("2026-01-01T00:00:00")) is None


@pytest.mark.parametrize(
    "members",
    [
        {"cron": "* * * * *"},
        {"cron": "0 0 1 1 *", "timezone": "Pacific/Kiritimati"},
        {"cron": "59 23 31 12 *", "timezone": "Pacific/Niue"},
        {"every_s": 1},
        {"any": [{"cron": "* * * * *"}, {"every_s": 1}]},
    ],
)
def test_no_slot_lies_in_2200_or_before_1800(members: dict[str, object]) -> None:
    slots = slots_of(**members)
    end, begin = utc("2200-01-01T00:00:00"), utc("1800-01-01T00:00:00")
    last = slots.previous(utc("2300-01-01T00:00:00"))
    assert last is not None
    assert last < end
    assert slots.next(last) is None
    assert slots.next(end) is None
    first = slots.next(utc("1700-01-01T00:00:00"))
    assert first is not None
    assert first >= begin
    assert slots.previous(first) is None
    # Instants far outside, which people's calendars still have.
    assert slots.next(datetime.max.replace(tzinfo=UTC)) is None
    assert slots.previous(datetime.max.replace(tzinfo=UTC)) == last
    assert slots.next(datetime.min.replace(tzinfo=UTC)) == first
    assert slots.previous(datetime.min.replace(tzinfo=UTC)) is None


def test_the_first_and_last_slots_are_those_of_the_law() -> None:
    """The ends are instants, not local years: zones ahead see New Year 2200, zones behind 1799."""
    ahead = slots_of(cron="0 0 1 1 *", timezone="Pacific/Kiritimati")
    assert ahead.next(utc("2199-06-01T00:00:00")) == utc("2199-12-31T10:00:00")
    behind = slots_of(cron="0 22 31 12 *", timezone="America/New_York")
    assert behind.previous(utc("1800-06-01T00:00:00")) == utc("1800-01-01T02:56:02")
    assert slots_of(cron="0 0 1 1 *", timezone="Pacific/Kiritimati").previous(
        utc("2201-01-01T00:00:00")
    ) == utc("2199-12-31T10:00:00")
    assert slots_of(cron="0 0 29 2 *").previous(utc("2201-01-01T00:00:00")) == utc("2196-02-29T00:00:00")


def test_instants_come_in_with_any_offset_and_go_out_in_utc() -> None:
    slots = slots_of(cron="0 9 * * *", timezone="Europe/Berlin")
    after = datetime(2024, 1, 15, 9, tzinfo=timezone(timedelta(hours=1)))
    slot = slots.next(after)
    assert slot == utc("2024-01-16T08:00:00")
    assert slot is not None
    assert slot.tzinfo is UTC
    with pytest.raises(TypeError):
        slots.next(datetime(2024, 1, 15))  # noqa: DTZ001 - a naive instant is what is refused


def test_equal_schedules_share_their_slots() -> None:
    one, other = slots_of(cron="0 9 * * *"), slots_of(cron="0 9 * * *", timezone="UTC")
    assert one is other
    assert slots_of(cron="0 9 * * *", timezone="Europe/Paris") is not one


def test_a_count_is_exact_up_to_its_limit() -> None:
    minutes = slots_of(cron="* * * * *")
    low = utc("2026-11-30T00:00:00")
    assert minutes.count_between(low, low + timedelta(minutes=1)) is None
    assert minutes.count_between(low, low) is None
    assert minutes.count_between(low, low - timedelta(days=1)) is None
    one = low + timedelta(minutes=1)
    assert minutes.count_between(low, one + US) == Passed(one, one, 1, False)
    last = low + timedelta(minutes=1000)
    assert minutes.count_between(low, last + US) == Passed(one, last, 1000, False)
    beyond = last + timedelta(minutes=1)
    assert minutes.count_between(low, beyond + US) == Passed(one, beyond, 1000, True)
    assert minutes.count_between(low, beyond + US, limit=3) == Passed(one, beyond, 3, True)
    # Both ends are outside: the row's own slot is not passed over.
    assert minutes.count_between(low, last) == Passed(one, last - timedelta(minutes=1), 999, False)


@pytest.mark.parametrize("text", hostile_texts.CRON_TAKEN.values(), ids=hostile_texts.CRON_TAKEN.keys())
def test_the_first_slot_of_a_hostile_text_costs_little(text: str) -> None:
    """Far under 50 ms: `python -m benchmarks.slots` says how far. Here the work is counted."""
    read_schedule.cache_clear()
    schedule = ScheduleDefinition(cron=text)
    after = utc("2026-11-30T00:00:00")
    assert lines_run(lambda: read_schedule(schedule).next(after)) < 20_000


def test_a_croniter_that_reads_otherwise_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two readers must agree before a slot is given (I20)."""
    members = {"cron": "0 9 3 3 3", "timezone": "Indian/Maldives"}
    monkeypatch.setattr(fields, "read_fields", lambda _: [(0,), (9,), (3,), (3,), (4,)])
    with pytest.raises(Misconfigured, match=r"croniter .* reads '0 9 3 3 3'"):
        slots_of(**members)

    def refuses(_: str) -> list[tuple[int, ...]]:
        raise ValueError("not today")

    monkeypatch.setattr(fields, "read_fields", refuses)
    with pytest.raises(Misconfigured, match="not today"):
        slots_of(**members)
    monkeypatch.undo()
    assert slots_of(**members).next(utc("2026-01-01T00:00:00")) == utc("2026-03-03T04:00:00")
