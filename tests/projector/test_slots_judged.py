"""Schedules that are refused when a task is defined though their form is right, and those that are not."""

from __future__ import annotations

from datetime import datetime

import pytest
from dateutil.rrule import _iterinfo

from ledger.authored.models import ScheduleDefinition
from ledger.authored.rrule import RruleText
from projector.slots import fault_of
from projector.slots.definition import read_schedule
from projector.slots.recurrence import Recurrence, Year
from tests import hostile_texts
from tests.counting import lines_run

ALL = [{"from": "1970-01-01T00:00:00Z", "to": "2200-01-01T00:00:00Z"}]
FIRSTS = [{"on": f"{month:02}-01"} for month in range(1, 13)]
START = "2026-11-30T09:00:00"


def judged(**members: object) -> tuple[str, str] | None:
    return fault_of(ScheduleDefinition.model_validate(members))


@pytest.mark.parametrize(
    ("members", "path"),
    [
        # Days and times that never meet.
        ({"rrule": "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "start": START}, "rrule"),
        ({"rrule": "RRULE:FREQ=DAILY;INTERVAL=7;BYDAY=TU", "start": START}, "rrule"),
        ({"rrule": "RRULE:FREQ=MONTHLY;BYDAY=6MO", "start": START}, "rrule"),
        ({"rrule": "RRULE:FREQ=YEARLY;BYDAY=MO;BYMONTH=1;BYSETPOS=6", "start": START}, "rrule"),
        ({"rrule": "RRULE:FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29", "start": START}, "rrule"),
        # Over before it begins, or after all series end.
        ({"rrule": "RRULE:FREQ=DAILY;UNTIL=20261130T085959", "start": START}, "rrule"),
        ({"rrule": "RRULE:FREQ=DAILY", "start": "2200-01-02T00:00:00"}, "rrule"),
        ({"rrule": "RRULE:FREQ=YEARLY;INTERVAL=9999;BYMONTH=1", "start": START}, "rrule"),
        ({"at": "2200-01-01T00:00:00Z"}, "at"),
        # Its only wall time does not exist, and is to be skipped.
        (
            {
                "rrule": "RRULE:FREQ=DAILY;COUNT=1",
                "start": "2027-03-14T02:30:00",
                "timezone": "America/New_York",
                "dst": {"gap": "skip"},
            },
            "rrule",
        ),
        # An element that never fires hides in a union that does.
        ({"any": [{"every_s": 9}, {"rrule": "RRULE:FREQ=MONTHLY;BYDAY=6MO", "start": START}]}, "any.1.rrule"),
        ({"any": [{"at": "2300-01-01T00:00:00Z"}]}, "any.0.at"),
        ({"cron": "0 0 1 * *", "exclude": FIRSTS}, "exclude"),
        ({"every_s": 1, "exclude": ALL}, "exclude"),
        ({"at": "2026-12-25T10:00:00Z", "exclude": [{"on": "2026-12-25"}]}, "exclude"),
        ({"any": [{"cron": "0 0 1 * *"}, {"cron": "0 9 1 * *"}], "exclude": FIRSTS}, "exclude"),
        (
            {"cron": "0 0 1 1 *", "starts_at": "2026-01-02T00:00:00Z", "ends_at": "2027-01-01T00:00:00Z"},
            "starts_at",
        ),
        ({"every_s": 60, "starts_at": "2200-01-01T00:00:00Z"}, "starts_at"),
        ({"rrule": "RRULE:FREQ=DAILY", "start": START, "ends_at": "2026-11-30T09:00:00Z"}, "ends_at"),
    ],
)  # fmt: skip
def test_a_schedule_without_any_slot_is_found(members: dict[str, object], path: str) -> None:
    fault = judged(**members)
    assert fault is not None
    assert fault[0] == path
    assert "no slot, ever; " in fault[1]
    assert "\n" not in fault[1]


@pytest.mark.parametrize(
    "members",
    [
        # What has passed has ended, and is not refused.
        {"at": "1970-01-01T00:00:00Z"},
        {"cron": "0 9 * * *", "ends_at": "1971-01-01T00:00:00Z"},
        {"rrule": "RRULE:FREQ=DAILY;COUNT=1", "start": "1970-01-01T00:00:00"},
        # Seldom is not never.
        {"cron": "0 0 29 2 1"},
        {"rrule": "RRULE:FREQ=YEARLY;INTERVAL=9999", "start": START},
        {"rrule": "RRULE:FREQ=DAILY;INTERVAL=9999;BYMONTH=2;BYMONTHDAY=29", "start": "1972-02-29T00:00:00"},
        {"cron": "0 0 1 * *", "exclude": FIRSTS[:11]},
        {"cron": "0 0 L 2 *", "exclude": [{"on": "02-28"}]},
        {"every_s": 86_400, "starts_at": "2199-12-31T00:00:00Z"},
        {"any": [{"at": "1971-01-01T00:00:00Z"}, {"at": "2199-12-31T23:59:59Z"}]},
    ],
)
def test_a_schedule_with_one_slot_is_enough(members: dict[str, object]) -> None:
    assert judged(**members) is None


@pytest.mark.parametrize(
    ("members", "most"),
    [
        ({"every_s": 60}, 59),
        ({"every_s": 1}, 0),
        ({"cron": "*/5 * * * *"}, 299),
        # The last quarter of the hour is closest, and the last second of a minute.
        ({"cron": "0,50 * * * *"}, 599),
        ({"cron": "0,59 * * * * *", "seconds": True}, 0),
        # Twenty-three hours from 28 to 29 March 2026 in Berlin.
        ({"cron": "0 9 * * *", "timezone": "Europe/Berlin"}, 23 * 3600 - 1),
        ({"any": [{"cron": "0 9 * * *"}, {"at": "2026-05-01T09:00:00.5Z"}]}, 0),
        ({"any": [{"cron": "0 9 * * *"}, {"at": "2026-05-01T09:00:07.5Z"}]}, 7),
        ({"rrule": "RRULE:FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0", "start": "2026-01-01T00:00:00"}, 8 * 3600 - 1),
        # Only slots after 2026-01-01T00:00:00Z are looked at, and a thousand of them.
        ({"any": [{"cron": "0 0 * * *"}, {"at": "2026-01-01T00:00:09Z"}]}, 23 * 3600 + 59 * 60 + 50),
        ({"any": [{"every_s": 3600}, {"at": "2026-02-11T15:59:59Z"}]}, 3598),
        ({"any": [{"every_s": 3600}, {"at": "2026-02-11T16:00:01Z"}]}, 3599),
        ({"at": "2026-05-01T09:00:00Z"}, 86_400),
    ],
)
def test_a_spread_is_shorter_than_every_gap(members: dict[str, object], most: int) -> None:
    """Else a slot could wake after its successor."""
    if most:
        assert judged(**members, spread_s=most) is None
    if most < 86_400:
        fault = judged(**members, spread_s=most + 1)
        assert fault is not None
        assert fault[0] == "spread_s"
        assert fault[1].endswith(f"write at most {most}")
        assert "\n" not in fault[1]


@pytest.mark.parametrize("parts", hostile_texts.RRULE.values(), ids=hostile_texts.RRULE.keys())
def test_no_rule_costs_more_than_the_years_that_slots_have(
    parts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work is counted, not timed: years that dateutil looks at, years made, and times of day written out."""
    work = {"looked at": 0, "made": 0, "picked": 0}
    look, made, picked = _iterinfo.rebuild, Recurrence._made, Recurrence._picked

    def count_looks(self: object, *year: object) -> object:
        work["looked at"] += 1
        return look(self, *year)

    def count_made(self: Recurrence, number: int) -> Year:
        work["made"] += 1
        return made(self, number)

    def count_picked(self: Recurrence, days: tuple[int, ...]) -> list[tuple[int, list[int]]]:
        found = picked(self, days)
        work["picked"] += len(found)
        return found

    monkeypatch.setattr(_iterinfo, "rebuild", count_looks)
    monkeypatch.setattr(Recurrence, "_made", count_made)
    monkeypatch.setattr(Recurrence, "_picked", count_picked)
    fault_of.cache_clear()
    judged(rrule=f"RRULE:{parts}", start="1970-01-01T09:00:00", timezone="America/New_York")
    # Fourteen kinds of years, asked for plain and for numbered weekdays; 231 years, once for a count.
    assert work["looked at"] <= 28
    assert work["made"] <= 2 * 232
    assert work["picked"] <= 2 * 366 * 232
    # From where the rule is known to be asked far ahead costs what is near, not the way there.
    slots = Recurrence(RruleText("DAILY", interval=3), datetime(1970, 1, 1))  # noqa: DTZ001
    work["made"] = 0
    assert slots.next(180 * 365 * 86_400) is not None
    assert slots.last(180 * 365 * 86_400) is not None
    assert work["made"] == 1


@pytest.mark.parametrize("parts", hostile_texts.RRULE.values(), ids=hostile_texts.RRULE.keys())
def test_the_judgement_of_a_hostile_rule_costs_little(parts: str) -> None:
    """Under 50 ms: `python -m benchmarks.slots` says how far. Here the lines are counted that run."""
    fault_of.cache_clear()
    read_schedule.cache_clear()
    schedule = ScheduleDefinition(rrule=f"RRULE:{parts}", start="1970-01-01T09:00:00")
    assert lines_run(lambda: fault_of(schedule)) < 400_000
