"""Zones: offsets are zoneinfo's, from the tzdata package alone, and slots walk strictly over each change.

SLOTS_CHANGES raises how many changes are walked over (0: all of them), SLOTS_SEED replays a run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest

from ledger.authored.models import DstDefinition, ScheduleDefinition
from ledger.errors import Misconfigured
from projector.slots import Slots, schedule_of
from projector.slots.zones import BEGINNING, zone
from tests.projector.second_engine import SecondEngine, all_zones, offset, zone_info

CHANGES = int(os.environ.get("SLOTS_CHANGES", "1000"))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
US = timedelta(microseconds=1)
FIRST = int(datetime(1800, 1, 1, tzinfo=UTC).timestamp())
LAST = int(datetime(2200, 1, 2, tzinfo=UTC).timestamp())


@pytest.fixture
def random(request: pytest.FixtureRequest) -> Random:
    given = os.environ.get("SLOTS_SEED")
    return Random(int(given) if given else int(request.config.getoption("randomly_seed", default=0)))


def at(seconds: int) -> datetime:
    return EPOCH + timedelta(seconds=seconds)


def test_every_change_of_every_zone_is_found(random: Random, capsys: pytest.CaptureFixture[str]) -> None:
    """Just before, at and after each change, and at random instants, the offset is zoneinfo's."""
    compared = 0
    for name in all_zones():
        ours, theirs = zone(name), zone_info(name)
        instants = [start + n for start in ours.starts if start != BEGINNING for n in (-1, 0, 1)]
        instants += [random.randrange(FIRST, LAST) for _ in range(60)]
        # Rules that go on for ever: both halves of every year.
        instants += [FIRST + n * 15_778_476 for n in range(800)]
        for instant in instants:
            if FIRST <= instant < LAST:
                assert at(instant).astimezone(theirs).utcoffset() == timedelta(
                    seconds=ours.offset_at(instant)
                )
                compared += 1
        assert all(a != b for a, b in pairwise(ours.offsets)), name
        assert all(a < b for a, b in pairwise(ours.starts)), name
    with capsys.disabled():
        print(f"\noffsets compared with zoneinfo: {compared} in {len(all_zones())} zones", file=sys.stderr)
    assert compared > 500_000
    assert len(all_zones()) > 590


def test_the_last_rule_goes_on_to_the_end_of_slots() -> None:
    starts = zone("America/New_York").starts
    # 2200-03-09 is the second Sunday of March: 02:00 EST.
    assert int(datetime(2200, 3, 9, 7, tzinfo=UTC).timestamp()) in starts
    assert int(datetime(1967, 4, 30, 7, tzinfo=UTC).timestamp()) in starts


def test_a_change_of_name_alone_is_no_change() -> None:
    """On 1996-03-31 at 01:00Z Lisbon left Central European Time for its own summer time: +1 both."""
    change = 828_234_000
    lisbon = zone_info("Europe/Lisbon")
    assert at(change - 1).astimezone(lisbon).tzname() != at(change).astimezone(lisbon).tzname()
    assert offset(lisbon, at(change - 1)) == offset(lisbon, at(change))
    assert change not in zone("Europe/Lisbon").starts


@pytest.mark.parametrize(
    "name", ["Nowhere/City", "", "../zones", "Europe", "/etc/localtime", "zone.tab", "Europe/Paris\n"]
)
def test_what_tzdata_does_not_have_is_said(name: str) -> None:
    with pytest.raises(Misconfigured, match="zone"):
        zone(name)


def test_zones_never_come_from_the_host() -> None:
    """With a host that has other zones, or none, the answers are the same (DESIGN, section 4)."""
    code = (
        "from datetime import datetime, UTC\n"
        "from ledger.authored.models import ScheduleDefinition\n"
        "from projector.slots import schedule_of\n"
        "s = schedule_of(ScheduleDefinition(cron='0 9 * * *', timezone='America/New_York'))\n"
        "print(s.next(datetime(2026, 7, 1, tzinfo=UTC)).isoformat())\n"
    )
    for place in ("/nowhere", ""):
        environment = {**os.environ, "PYTHONTZPATH": place, "TZ": "Australia/Sydney", "TZDIR": "/nowhere"}
        answer = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        assert answer.stdout.strip() == "2026-07-01T13:00:00+00:00"


TEXTS = [
    "* * * * *",
    "*/20 * * * *",
    "30 * * * *",
    "0 */2 * * *",
    "30 2 * * *",
    "0 0 * * *",
    "*/10 0-23 * * *",
    "15,45 0-3,23 * * *",
]


def test_slots_over_every_change_are_those_of_enumeration(
    random: Random, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over the changes of every zone from 1970 to 2100, forward and backward, for whatever cause they are."""
    low, high = 0, int(datetime(2100, 1, 1, tzinfo=UTC).timestamp())
    changes = [(name, start) for name in all_zones() for start in zone(name).starts if low <= start < high]
    chosen = random.sample(changes, CHANGES) if CHANGES else changes
    met: Counter[str] = Counter()
    for name, start in chosen:
        text = random.choice(TEXTS)
        gap, overlap = random.choice(["shift", "skip"]), random.choice(["first", "last", "both"])
        first = at(start) - timedelta(minutes=random.randint(1, 200))
        last = at(start) + timedelta(minutes=random.randint(1, 200))
        engine = SecondEngine(text, name, gap, overlap)
        expected = engine.slots(first, last)
        slots = schedule_of(
            ScheduleDefinition(
                cron=text,
                timezone=name,
                dst=DstDefinition.model_validate({"gap": gap, "overlap": overlap}),
            )
        )
        said = f"{text!r} in {name}, gap {gap}, overlap {overlap}, from {first} to {last}"
        assert forward(slots, first, last) == expected, said
        assert backward(slots, first, last)[::-1] == expected, said
        met["changes"] += 1
        met["slots"] += len(expected)
        met.update(what for what in ("landed", "dropped", "repeated") if getattr(engine, what))
    with capsys.disabled():
        print(f"\nwalked over {dict(met)} of {len(changes)} changes of offset", file=sys.stderr)
    assert met["changes"] == (CHANGES or len(changes))
    assert len(changes) > 50_000
    assert met["slots"] > 10 * met["changes"]
    for what in ("landed", "dropped", "repeated"):
        assert met[what] > met["changes"] / 40


def forward(slots: Slots, low: datetime, high: datetime) -> list[datetime]:
    """The slots in [low, high), by `next`."""
    found = []
    slot = slots.next(low - US)
    while slot is not None and slot < high:
        found.append(slot)
        slot = slots.next(slot)
    return found


def backward(slots: Slots, low: datetime, high: datetime) -> list[datetime]:
    """The slots in [low, high), by `previous`, the last first."""
    found = []
    slot = slots.previous(high)
    while slot is not None and slot >= low:
        found.append(slot)
        slot = slots.previous(slot)
    return found


# What was there on both sides of changes that are unlike the others, as people there saw their clocks.
NIGHTS = [
    # Samoa left out 30 December 2011; a gap of a day is no daylight saving, so its times are no slots.
    ("Pacific/Apia", "0 12 * * *", "2011-12-29 22:00", ["12-29 22:00", "12-30 22:00"]),
    # Kwajalein left out 21 August 1993.
    ("Pacific/Kwajalein", "0 12 * * *", "1993-08-21 00:00", ["08-21 00:00", "08-22 00:00", "08-23 00:00"]),
    ("Pacific/Kiritimati", "0 0 * * *", "1994-12-30 10:00", ["12-30 10:00", "12-31 10:00", "01-01 10:00"]),
    # Half an hour forth and back on Lord Howe: 02:00 to 02:30, and 02:00 to 01:30.
    ("Australia/Lord_Howe", "15 2 * * *", "2024-10-04 15:45", ["10-04 15:45", "10-05 15:30", "10-06 15:15"]),
    ("Australia/Lord_Howe", "45 1 * * *", "2024-04-05 14:45", ["04-05 14:45", "04-06 14:45", "04-07 15:15"]),
    (
        "Australia/Lord_Howe",
        "*/30 * * * *",
        "2024-04-06 14:00",
        ["04-06 14:00", "04-06 14:30", "04-06 15:00", "04-06 15:30"],
    ),
    # Venezuela went half an hour ahead for good at 02:30 on 1 May 2016.
    ("America/Caracas", "45 2 * * *", "2016-04-30 07:15", ["04-30 07:15", "05-01 07:00", "05-02 06:45"]),
    # Monrovia's clock went forward by 44:30 at midnight of 7 January 1972.
    ("Africa/Monrovia", "30 0 * * *", "1972-01-06 01:14:30", ["01-06 01:14", "01-07 00:44", "01-08 00:30"]),
    # The year ends at another instant in each zone, and in one of them on both sides of a change.
    ("America/New_York", "59 23 31 12 *", "2026-12-01 00:00", ["01-01 04:59", "01-01 04:59"]),
    ("Asia/Kathmandu", "0 0 1 1 *", "1984-12-31 18:30", ["12-31 18:30", "12-31 18:30", "12-31 18:15"]),
]


@pytest.mark.parametrize(("name", "text", "begin", "expected"), NIGHTS)
def test_nights_unlike_the_others(name: str, text: str, begin: str, expected: list[str]) -> None:
    low = datetime.fromisoformat(f"{begin}+00:00")
    slots = schedule_of(ScheduleDefinition(cron=text, timezone=name))
    found = [slot := slots.next(low - US)]
    while len(found) < len(expected):
        assert slot is not None
        found.append(slot := slots.next(slot))
    assert [str(slot)[5:16] for slot in found] == expected
    assert [slots.previous(slot) for slot in found[1:] if slot is not None] == found[:-1]
