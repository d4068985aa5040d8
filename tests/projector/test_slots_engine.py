"""Slots against a second engine, on random texts in random zones around changes of the offset.

SLOTS_CASES raises the number of cases, SLOTS_SEED replays a run.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random

import pytest

from ledger.authored.cron import CronRefused, read_cron
from ledger.authored.models import DstDefinition, ScheduleDefinition
from projector.slots import schedule_of
from projector.slots.zones import BEGINNING, zone
from tests.projector.random_cron import random_cron
from tests.projector.second_engine import SecondEngine, all_zones

CASES = int(os.environ.get("SLOTS_CASES", "5000"))
_US = timedelta(microseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = int(datetime(1970, 1, 2, tzinfo=UTC).timestamp())
LAST = int(datetime(2100, 1, 1, tzinfo=UTC).timestamp())
# Changes that are unlike the others: half hours, whole days, three hours, seconds, two in one night.
ODD = [
    ("Pacific/Apia", datetime(2011, 12, 30, 10, tzinfo=UTC)),
    ("Pacific/Kiritimati", datetime(1994, 12, 31, 10, tzinfo=UTC)),
    ("Pacific/Kwajalein", datetime(1993, 8, 21, 12, tzinfo=UTC)),
    ("Antarctica/Casey", datetime(2009, 10, 17, 18, tzinfo=UTC)),
    ("Antarctica/Casey", datetime(2010, 3, 4, 15, tzinfo=UTC)),
    ("Antarctica/Troll", datetime(2025, 3, 30, 1, tzinfo=UTC)),
    ("Antarctica/Troll", datetime(2025, 10, 26, 1, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2024, 4, 6, 15, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2024, 10, 5, 15, 30, tzinfo=UTC)),
    ("America/Caracas", datetime(2016, 5, 1, 7, tzinfo=UTC)),
    ("Asia/Pyongyang", datetime(2018, 5, 4, 15, tzinfo=UTC)),
    ("America/St_Johns", datetime(1988, 4, 3, 3, 31, tzinfo=UTC)),
    ("Africa/Monrovia", datetime(1972, 1, 7, 0, 44, 30, tzinfo=UTC)),
    ("Africa/Casablanca", datetime(2024, 4, 14, 2, tzinfo=UTC)),
    ("America/Sao_Paulo", datetime(2018, 11, 4, 3, tzinfo=UTC)),
    ("Asia/Kathmandu", datetime(1985, 12, 31, 18, 30, tzinfo=UTC)),
    ("Europe/London", datetime(1971, 10, 31, 2, tzinfo=UTC)),
]


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    given = os.environ.get("SLOTS_SEED")
    return int(given) if given else int(request.config.getoption("randomly_seed", default=0))


def test_random_texts_around_changes_agree_with_enumeration(
    seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Slots are those of the written rule, both ways (DESIGN: slots are pure; I20: read one way)."""
    met: Counter[str] = Counter()
    for n in range(CASES):
        _compare(Random(f"{seed}:{n}"), met, f"case {n} of seed {seed}")
    with capsys.disabled():
        print(f"\nslots against enumeration: {CASES} cases from seed {seed}, {dict(met)}", file=sys.stderr)
    assert met["slots"] > 5 * CASES, "too few slots were compared for the run to say anything"
    for what in ("landed", "dropped", "repeated"):
        assert met[what] >= CASES / 40, f"{what} times were met in too few cases for the run to say anything"
    assert met["never"] <= CASES / 20, "too many texts fit no date at all"


def _compare(random: Random, met: Counter[str], name: str) -> None:
    where, change = _somewhere(random)
    reach = random.choice([3, 3, 3, 3, 6, 6, 12, 36])
    low = change - timedelta(hours=random.randint(1, reach))
    high = change + timedelta(hours=random.randint(1, reach))
    seconds = random.random() < 0.1
    local = change + timedelta(seconds=zone(where).offset_at(int(change.timestamp()) - 1))
    hours = [(local.hour + n) % 24 for n in (-1, 0, 0, 1, 2)]
    text = random_cron(random, local.date(), hours, seconds=seconds)
    gap = random.choice(["shift", "shift", "skip"])
    overlap = random.choice(["first", "first", "last", "both"])
    engine = SecondEngine(text, where, gap, overlap)
    if not engine.ever():
        met["never"] += 1
        with pytest.raises(CronRefused, match="no date"):
            read_cron(text, seconds=seconds)
        return
    expected = engine.slots(low, high)
    said = f"{name}: {text!r} in {where}, gap {gap}, overlap {overlap}, from {low} to {high}"
    slots = schedule_of(
        ScheduleDefinition(
            cron=text.upper(),
            seconds=seconds,
            timezone=where,
            dst=DstDefinition.model_validate({"gap": gap, "overlap": overlap}),
        )
    )
    forward = []
    slot = slots.next(low - timedelta(microseconds=1))
    while slot is not None and slot < high:
        forward.append(slot)
        slot = slots.next(slot)
    assert forward == expected, said
    backward = []
    slot = slots.previous(high)
    while slot is not None and slot >= low:
        backward.append(slot)
        slot = slots.previous(slot)
    assert backward[::-1] == expected, said
    at = low + (high - low) * random.random()
    assert slots.next(at) == next((slot for slot in expected if slot > at), slots.next(high - _US)), said
    met["slots"] += len(expected)
    met.update(what for what in ("landed", "dropped", "repeated") if getattr(engine, what))


def _somewhere(random: Random) -> tuple[str, datetime]:
    """A zone and an instant at which its offset changes; where to look is no expected value."""
    if random.random() < 0.3:
        return random.choice(ODD)
    while True:
        where = random.choice(all_zones())
        if starts := _changes(where):
            return where, EPOCH + timedelta(seconds=random.choice(starts))


@cache
def _changes(where: str) -> list[int]:
    return [start for start in zone(where).starts if start != BEGINNING and FIRST <= start < LAST]
