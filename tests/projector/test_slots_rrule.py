"""rrule: the slots that RFC 5545 gives, against an enumeration, and what no rule may cost.

SLOTS_RULES raises the number of random rules, SLOTS_SEED replays a run.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from ledger.authored.models import DstDefinition, ScheduleDefinition
from ledger.authored.rrule import read_rrule
from projector.slots import Slots, schedule_of
from projector.slots.recurrence import Recurrence
from projector.slots.zones import BEGINNING, zone
from tests.projector.own_rrule import OwnRule, RuleEngine
from tests.projector.random_rrule import dense_rrule, random_rrule
from tests.projector.second_engine import all_zones

RULES = int(os.environ.get("SLOTS_RULES", "500"))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
US = timedelta(microseconds=1)


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    given = os.environ.get("SLOTS_SEED")
    return int(given) if given else int(request.config.getoption("randomly_seed", default=0))


def test_random_rules_agree_with_the_enumeration_of_the_rfc(
    seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the wall clock alone: forward from anywhere, backward from anywhere, the same row."""
    met: Counter[str] = Counter()
    for n in range(RULES):
        random = Random(f"{seed}:{n}")
        start = datetime(random.choice([1970, 1999, 2000, 2024, 2026]), random.randint(1, 12), 1)  # noqa: DTZ001
        start += timedelta(days=random.randrange(31), minutes=random.choice([0, 540, 547, 1439]))
        text = random_rrule(random, start, [start.hour, 0, 23])
        until = start + timedelta(days=random.choice([40, 400, 1500, 1500, 4000]))
        expected = [_wall(wall) for wall in OwnRule(text, start).walls(until)]
        rule = Recurrence(read_rrule(text), start)
        said = f"rule {n} of seed {seed}: {text} from {start}"
        limit = _wall(until)
        met["rules"] += 1
        met["with wall times"] += bool(expected)
        expected = _stretch(random, expected, 200)
        if not expected:
            wall = rule.next(0)
            assert wall is None or wall > limit, said
            continue
        low = expected[0]
        forward = []
        wall = rule.next(low)
        while wall is not None and wall <= expected[-1]:
            forward.append(wall)
            wall = rule.next(wall + 1)
        assert forward == expected, said
        backward = []
        wall = rule.last(expected[-1])
        while wall is not None and wall >= low:
            backward.append(wall)
            wall = rule.last(wall - 1)
        assert backward[::-1] == expected, said
        met["wall times"] += len(expected)
    with capsys.disabled():
        print(f"\nrrules against enumeration: seed {seed}, {dict(met)}", file=sys.stderr)
    assert met["with wall times"] > RULES / 3
    assert met["wall times"] > 10 * RULES


def _stretch(random: Random, walls: list[int], most: int) -> list[int]:
    """At most so many of them in a row, from anywhere."""
    begin = random.randrange(max(1, len(walls) - most + 1))
    return walls[begin : begin + most]


def _wall(local: datetime) -> int:
    return int((local.replace(tzinfo=UTC) - EPOCH).total_seconds())


def test_random_rules_around_changes_of_offset(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Each wall time of a rule is a fixed one: zones are the project's to resolve, and `dst` says how."""
    met: Counter[str] = Counter()
    for n in range(RULES):
        random = Random(f"zones:{seed}:{n}")
        where, change = _somewhere(random)
        offset = zone(where).offset_at(int(change.timestamp()) - 1)
        local = (change + timedelta(seconds=offset)).replace(tzinfo=None)
        start = local - timedelta(days=random.randrange(1, 800), minutes=random.choice([0, 0, 30, -30, 60]))
        if start.year < 1970:
            continue
        hours = [(local.hour + k) % 24 for k in (-1, 0, 0, 1, 2)]
        text = dense_rrule(random, hours) if n % 2 else random_rrule(random, start, hours)
        gap, overlap = random.choice(["shift", "skip"]), random.choice(["first", "last", "both"])
        low, high = change - timedelta(days=3), change + timedelta(days=3)
        engine = RuleEngine(OwnRule(text, start), where, gap, overlap)
        expected = engine.slots(low, high)
        slots = schedule_of(
            ScheduleDefinition(
                rrule=text,
                start=start.isoformat(),
                timezone=where,
                dst=DstDefinition.model_validate({"gap": gap, "overlap": overlap}),
            )
        )
        said = f"rule {n} of seed {seed}: {text} from {start} in {where}, gap {gap}, overlap {overlap}"
        assert slots_between(slots, low, high) == expected, said
        backward = []
        slot = slots.previous(high)
        while slot is not None and slot >= low:
            backward.append(slot)
            slot = slots.previous(slot)
        assert backward[::-1] == expected, said
        met["slots"] += len(expected)
        met.update(what for what in ("landed", "dropped", "repeated") if getattr(engine, what))
        met["rules"] += 1
    with capsys.disabled():
        print(f"\nrrules around changes of offset: seed {seed}, {dict(met)}", file=sys.stderr)
    assert met["slots"] > 5 * RULES
    for what in ("landed", "dropped", "repeated"):
        assert met[what] >= RULES / 50, f"{what} wall times were met too seldom"


def slots_between(slots: Slots, low: datetime, high: datetime) -> list[datetime]:
    found = []
    slot = slots.next(low - US)
    while slot is not None and slot < high:
        found.append(slot)
        slot = slots.next(slot)
    return found


def _somewhere(random: Random) -> tuple[str, datetime]:
    """A zone and an instant at which its offset changes; where to look is no expected value."""
    first = int(datetime(1972, 6, 1, tzinfo=UTC).timestamp())
    last = int(datetime(2100, 1, 1, tzinfo=UTC).timestamp())
    while True:
        where = random.choice(all_zones())
        starts = [start for start in zone(where).starts if start != BEGINNING and first <= start < last]
        if starts:
            return where, EPOCH + timedelta(seconds=random.choice(starts))
