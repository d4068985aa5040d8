"""What the judge derives for itself: slots and keys from worked examples; it asks nobody it judges."""

from __future__ import annotations

import ast
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from benchmarks.judge.history import Row
from benchmarks.judge.names import key_of
from benchmarks.judge.slots import slots_between

CHECKOUT = Path(__file__).resolve().parents[2]
# No product code here. The raw limit is measured with psycopg alone.
APART = ("benchmarks/judge", "benchmarks/raw.py")
ALLOWED = {"benchmarks.judge", "blake3", "psycopg"}
DAY = datetime(2026, 12, 1, tzinfo=UTC)


def hours(*times: str) -> list[datetime]:
    return [datetime.fromisoformat(f"2026-12-01T{time}+00:00") for time in times]


@pytest.mark.parametrize(
    ("schedule", "slots"),
    [
        ({"every_s": 28_800}, ["08:00:00", "16:00:00"]),
        (
            {"every_s": 36_000, "anchor": "2026-12-01T23:00:00.000007Z"},
            ["03:00:00.000007", "13:00:00.000007"],
        ),
        ({"every_s": 28_800, "starts_at": "2026-12-01T09:00:00Z"}, ["16:00:00"]),
        ({"every_s": 28_800, "starts_at": "2026-12-01T08:00:00Z"}, ["08:00:00", "16:00:00"]),
        ({"every_s": 28_800, "ends_at": "2026-12-01T16:00:00Z"}, ["08:00:00"]),
        ({"at": "2026-12-01T07:00:00.5Z"}, ["07:00:00.500000"]),
        ({"at": "2026-12-01T00:00:00Z"}, []),
        ({"at": "2026-12-01T23:00:00Z"}, ["23:00:00"]),
        ({"cron": "30 9 * * *"}, ["09:30:00"]),
        ({"cron": "30 9 * * *", "timezone": "America/New_York"}, ["14:30:00"]),
        ({"cron": "0 5-7 * * *"}, ["05:00:00", "06:00:00", "07:00:00"]),
        ({"cron": "0,30 7/8 * 12 2"}, ["07:00:00", "07:30:00", "15:00:00", "15:30:00", "23:00:00"]),
        ({"cron": "0 12 31 * 2"}, ["12:00:00"]),
        ({"cron": "0 12 */31 * 2"}, ["12:00:00"]),
        ({"cron": "0 12 31 * */3"}, []),
        ({"cron": "0 0 * * *"}, []),
    ],
)
def test_slots_worked_out_by_hand(schedule: dict[str, object], slots: list[str]) -> None:
    """1 December 2026 is a Tuesday; asked from midnight, exclusive, to 23:00, inclusive."""
    assert slots_between(schedule, DAY, DAY + timedelta(hours=23)) == hours(*slots)


@pytest.mark.parametrize(
    "schedule",
    [{"rrule": "RRULE:FREQ=DAILY"}, {"cron": "* * * *"}, {"cron": "60 * * * *"}, {"cron": "5-1 * * * *"}, {}],
)
def test_what_it_cannot_read_is_an_error(schedule: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"does not|no kind|five fields"):
        slots_between(schedule, DAY, DAY + timedelta(hours=1))


def test_a_change_of_the_clock_is_an_error() -> None:
    """It has no rules for that, and must not guess."""
    schedule = {"cron": "* * * * *", "timezone": "Europe/Paris"}
    before = datetime(2027, 3, 28, 0, 30, tzinfo=UTC)
    with pytest.raises(ValueError, match="changes its offset"):
        slots_between(schedule, before, before + timedelta(hours=1))


def test_the_key_of_a_worked_example() -> None:
    due = datetime(2026, 11, 30, 9, 0, 0, 500_000, tzinfo=UTC)
    row = Row(
        key="",
        tenant="acme",
        task="weekly-report",
        digest="ab" * 32,
        delivery="http",
        wake="schedule",
        agent="agent:7",
        destination="team:11",
        due=due,
        fingerprint="",
        lane="series",
        state="pending",
        reason=None,
        blocked_by=None,
        after=None,
        passed=None,
        made_by="define",
        incarnation=None,
        created=due,
        started=None,
        closed=None,
    )
    assert key_of(row) == (
        "01a22bae-b874-8366-8570-3952923f32b0",
        "036605703952923f32b0ab5d57d4a92930abfeaf1ab40338b4db35b78b684959",
    )


def imported(path: Path) -> set[str]:
    """The modules that a file imports, by their names in full."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "write imports in full, so that this test can read them"
            names.add(node.module or "")
    return names


def test_nothing_of_the_product_is_in_the_judge_or_the_raw_limit() -> None:
    files = [CHECKOUT / apart for apart in APART if apart.endswith(".py")]
    files += [file for apart in APART for file in (CHECKOUT / apart).rglob("*.py")]
    assert len(files) > 10, "this test looked in the wrong place"
    for file in files:
        for name in imported(file):
            known = any(name == one or name.startswith(one + ".") for one in ALLOWED)
            assert known or name.partition(".")[0] in sys.stdlib_module_names, f"{file} imports {name}"
