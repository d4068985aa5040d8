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
from tests.projector.second_engine import all_zones, offset, zone_info

CHANGES = int(os.environ.get("SLOTS_CHANGES", "1000"))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
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
        print(f"\noffsets compared with zoneinfo: {compared} in {len(all_zones())} zones")
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
    "15,45 0-3,23 * * *",
]
READINGS = [("shift", "first"), ("shift", "both"), ("skip", "last")]


def test_slots_increase_strictly_over_changes_and_previous_agrees(
    random: Random, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over changes of every zone from 1970 to 2100, forward and backward give the same row of slots."""
    low, high = 0, int(datetime(2100, 1, 1, tzinfo=UTC).timestamp())
    changes = [(name, start) for name in all_zones() for start in zone(name).starts if low <= start < high]
    chosen = random.sample(changes, CHANGES) if CHANGES else changes
    met: Counter[str] = Counter()
    for name, start in chosen:
        for text in TEXTS if not CHANGES else random.sample(TEXTS, 2):
            gap, overlap = random.choice(READINGS)
            slots = schedule_of(
                ScheduleDefinition(
                    cron=text,
                    timezone=name,
                    dst=DstDefinition.model_validate({"gap": gap, "overlap": overlap}),
                )
            )
            met["slots"] += _walk(slots, at(start) - timedelta(hours=random.randint(1, 12)), at(start))
        met["changes"] += 1
    with capsys.disabled():
        print(f"\nwalked over {met['changes']} of {len(changes)} changes of offset, {met['slots']} slots")
    assert met["changes"] == (CHANGES or len(changes))
    assert met["slots"] > 10 * met["changes"]


def _walk(slots: Slots, after: datetime, change: datetime) -> int:
    """Forward to two hours past the change and at least three slots, then back again."""
    forward = [after]
    while forward[-1] < change + timedelta(hours=2) or len(forward) < 4:
        slot = slots.next(forward[-1])
        assert slot is not None
        assert slot > forward[-1]
        assert slots.holds(slot)
        forward.append(slot)
    before = forward[-1]
    for slot in reversed(forward[1:-1]):
        before = slots.previous(before)
        assert before == slot
    first = slots.previous(forward[1])
    assert first is None or first <= after
    return len(forward) - 1
