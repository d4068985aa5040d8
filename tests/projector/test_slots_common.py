"""The first slot that two schedules share: right against leapfrog, and never more work than days.

SLOTS_PAIRS raises the number of random pairs, SLOTS_SEED replays a run.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from random import Random

import pytest

from ledger.authored.cron import CronRefused, read_cron
from ledger.authored.models import ScheduleDefinition
from projector.slots import Slots, first_common, schedule_of
from tests.counting import lines_run
from tests.projector.random_cron import random_cron
from tests.projector.random_rrule import dense_rrule, random_rrule

PAIRS = int(os.environ.get("SLOTS_PAIRS", "1000"))
US = timedelta(microseconds=1)
ZONES = [
    *("UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "Antarctica/Troll"),
    *("Africa/Casablanca", "Asia/Kathmandu", "Pacific/Kiritimati", "America/St_Johns", "Africa/Monrovia"),
]


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def slots_of(**members: object) -> Slots:
    return schedule_of(ScheduleDefinition.model_validate(members))


def leapfrog(a: Slots, b: Slots, after: datetime, until: datetime) -> datetime | None:
    """The same by steps: each schedule in turn jumps to the other's slot."""
    slot = a.next(after)
    while slot is not None and slot <= until:
        other = b.next(slot - US)
        if other is None or other > until:
            return None
        if other == slot:
            return slot
        slot = a.next(other - US)
    return None


def test_random_pairs_agree_with_leapfrog(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """An edit resumes at a slot that both versions hold (DESIGN, section 4; I11)."""
    given = os.environ.get("SLOTS_SEED")
    seed = int(given) if given else int(request.config.getoption("randomly_seed", default=0))
    met: Counter[str] = Counter()
    for n in range(PAIRS):
        random = Random(f"{seed}:{n}")
        a, b = _schedule(random), _schedule(random)
        after = datetime(random.choice([1960, 2011, 2019, 2024, 2026]), random.randint(1, 12), 1, tzinfo=UTC)
        after += timedelta(seconds=random.randrange(86_400 * 30), microseconds=random.choice([0, 1]))
        until = after + timedelta(days=random.choice([1, 3, 10, 60]))
        first, second = (schedule_of(ScheduleDefinition.model_validate(each)) for each in (a, b))
        expected = leapfrog(first, second, after, until)
        said = f"pair {n} of seed {seed}: {a} and {b} from {after} until {until}"
        assert first_common(first, second, after, until) == expected, said
        assert first_common(second, first, after, until) == expected, said
        met["found" if expected else "nothing"] += 1
        if expected:
            assert first_common(first, second, expected - US, expected) == expected, said
            met["later"] += first_common(first, second, expected, until) is not None
    with capsys.disabled():
        print(
            f"\nshared slots against leapfrog: {PAIRS} pairs from seed {seed}, {dict(met)}", file=sys.stderr
        )
    assert met["found"] > PAIRS / 8
    assert met["nothing"] > PAIRS / 8


def _schedule(random: Random) -> dict[str, object]:
    kind = random.random()
    schedule: dict[str, object] = {}
    if kind < 0.2:
        anchor = utc("2020-01-01T00:00:00") + timedelta(
            seconds=random.choice([0, 0, 60, 1800, 7]), microseconds=random.choice([0, 0, 0, 1])
        )
        step = random.choice([60, 90, 300, 3600, 7200, 86_400, 604_800, 61, 5400, 1800, 7, 100_000])
        schedule = {"every_s": step, "anchor": anchor}
    elif kind < 0.3 or kind > 0.9:
        # Dense texts that often share nothing.
        step = random.choice([2, 3, 4])
        schedule = {"cron": f"{random.randrange(step)}-59/{step} * * * *", "timezone": random.choice(ZONES)}
    elif kind < 0.35:
        start = datetime(2019, random.randint(1, 12), random.randint(1, 28), random.choice([0, 2, 9]))  # noqa: DTZ001
        text = (
            dense_rrule(random, [0, 1, 2, 9])
            if random.random() < 0.5
            else random_rrule(random, start, [2, 9])
        )
        schedule = {"rrule": text, "start": start.isoformat(), "timezone": random.choice(ZONES)}
    elif kind < 0.4:
        elements = [_schedule(random) for _ in range(2)]
        schedule = (
            elements[0] if any({"any", "exclude"} & set(each) for each in elements) else {"any": elements}
        )
    else:
        where = random.choice(ZONES)
        near = datetime(2024, random.randint(1, 12), random.randint(1, 28), tzinfo=UTC).date()
        seconds = random.random() < 0.1
        schedule = {
            "cron": _cron_that_fires(random, near, seconds=seconds),
            "seconds": seconds,
            "timezone": where,
            "dst": {
                "gap": random.choice(["shift", "skip"]),
                "overlap": random.choice(["first", "last", "both"]),
            },
        }
    if random.random() < 0.1:
        schedule["exclude"] = [{"on": "03-31"}, {"on": "10-27"}, {"on": f"2024-0{random.randint(1, 9)}-10"}]
    return schedule


def _cron_that_fires(random: Random, near: date, *, seconds: bool) -> str:
    """The door refuses a text that no date fits, such as the 31st of February: another is drawn."""
    while True:
        text = random_cron(random, near, [0, 1, 2, 9], seconds=seconds).upper()
        try:
            read_cron(text, seconds=seconds)
        except CronRefused as refused:
            assert "no date" in str(refused), text  # noqa: PT017 - any other refusal is a defect
            continue
        return text


def test_a_missing_time_that_lands_is_shared_with_whoever_names_the_instant() -> None:
    """02:10 and 02:40 do not exist that night: both land on 03:00, which the hourly text names itself."""
    after, until = utc("2025-03-09T06:30:00"), utc("2025-03-09T12:00:00")
    new_york = {"timezone": "America/New_York"}
    landing = utc("2025-03-09T07:00:00")
    texts = ["10 2 * * *", "40 2 * * *", "0 3 * * *", "0 * * * *"]
    for one in texts:
        for other in texts:
            a, b = slots_of(cron=one, **new_york), slots_of(cron=other, **new_york)
            assert first_common(a, b, after, until) == landing
    skipped = slots_of(cron="10 2 * * *", **new_york, dst={"gap": "skip"})
    assert first_common(skipped, slots_of(cron="0 3 * * *", **new_york), after, until) is None


def test_the_range_leaves_its_start_and_takes_its_end() -> None:
    hourly, daily = slots_of(cron="0 * * * *"), slots_of(cron="0 9 * * *")
    nine = utc("2026-11-30T09:00:00")
    assert first_common(hourly, daily, nine - US, nine) == nine
    assert first_common(hourly, daily, nine - timedelta(hours=9), nine - US) is None
    assert first_common(hourly, daily, nine, nine + timedelta(days=1)) == nine + timedelta(days=1)
    assert first_common(hourly, daily, nine, nine) is None
    assert first_common(hourly, hourly, nine, nine + timedelta(hours=1)) == nine + timedelta(hours=1)


def test_bounds_and_exclusions_of_either_count() -> None:
    daily = slots_of(cron="0 9 * * *")
    after, until = utc("2026-11-30T00:00:00"), utc("2026-12-31T00:00:00")
    bounded = slots_of(every_s=3600, starts_at="2026-12-05T00:00:00Z", ends_at="2026-12-07T00:00:00Z")
    assert first_common(daily, bounded, after, until) == utc("2026-12-05T09:00:00")
    assert first_common(daily, bounded, utc("2026-12-06T09:00:00"), until) is None
    holidays = slots_of(cron="0 9 * * *", exclude=[{"on": "2026-11-30"}, {"on": "12-01"}])
    assert first_common(daily, holidays, after, until) == utc("2026-12-02T09:00:00")


def test_grids_share_a_grid_or_nothing() -> None:
    """Every 6 s from 2 and every 10 s from 4 meet at 14, and each 30 s after it."""
    six = slots_of(every_s=6, anchor="1970-01-01T00:00:02Z")
    ten = slots_of(every_s=10, anchor="1970-01-01T00:00:04Z")
    odd = slots_of(every_s=10, anchor="1970-01-01T00:00:05Z")
    far = utc("2100-01-01T00:00:00")
    assert first_common(six, ten, utc("1970-01-01T00:00:00"), far) == utc("1970-01-01T00:00:14")
    assert first_common(six, ten, utc("1970-01-01T00:00:14"), far) == utc("1970-01-01T00:00:44")
    assert first_common(six, odd, utc("1970-01-01T00:00:00"), far) is None


HOURS = ",".join(str(n) for n in range(24))
EVEN, ODD = (",".join(str(n) for n in range(first, 60, 2)) for first in (0, 1))
NEVER = [
    ({"cron": "*/2 * * * *"}, {"cron": "1-59/2 * * * *"}),
    (
        {"cron": "*/2 * * * *", "timezone": "Europe/Paris"},
        {"cron": "1-59/2 * * * *", "timezone": "America/New_York"},
    ),
    ({"cron": "*/2 * * * * *", "seconds": True}, {"cron": "1-59/2 * * * * *", "seconds": True}),
    ({"cron": "*/2 * * * *"}, {"every_s": 120, "anchor": "2020-01-01T00:01:00Z"}),
    ({"cron": "* * * * *"}, {"every_s": 60, "anchor": "2020-01-01T00:00:00.5Z"}),
    ({"cron": "* 0-22 * * *"}, {"cron": "* 23 * * *"}),
    ({"every_s": 1}, {"every_s": 7, "anchor": "2020-01-01T00:00:00.5Z"}),
    (
        {"rrule": f"RRULE:FREQ=DAILY;BYMINUTE={EVEN};BYHOUR={HOURS}", "start": "2020-01-01T00:00:00"},
        {"rrule": f"RRULE:FREQ=DAILY;BYMINUTE={ODD};BYHOUR={HOURS}", "start": "2020-01-01T00:00:00"},
    ),
    (
        {"rrule": f"RRULE:FREQ=DAILY;BYMINUTE={EVEN};BYHOUR={HOURS}", "start": "2020-01-01T00:00:00"},
        {"cron": "1-59/2 * * * *", "timezone": "Asia/Tokyo"},
    ),
]


@pytest.mark.parametrize(("a", "b"), NEVER)
def test_dense_schedules_that_never_meet_are_told_apart_in_bounded_time(
    a: dict[str, object], b: dict[str, object]
) -> None:
    """Twenty years of outage: some lines for each day, where slot by slot there are ten million steps."""
    first, second = slots_of(**a), slots_of(**b)
    low, high = utc("2026-01-01T00:00:00"), utc("2046-01-01T00:00:00")
    found: list[datetime | None] = []
    assert lines_run(lambda: found.append(first_common(first, second, low, high))) < 120 * 366 * 20
    assert found == [None]
