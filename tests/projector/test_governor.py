"""The Governor's table, case by case, and that each case replays from its trail."""

from __future__ import annotations

import pytest

from projector.moves.governor import Decision, govern, replay
from tests.projector.governor_cases import AFTER, AT_END, BASE, CASES, Case, at, definition, every, once


def decided(case: Case) -> Decision:
    return govern(
        case.after,
        case.base,
        definition(case.schedule, **case.members),
        case.hints,
        passing=case.passing,
    )


def clock(text: object) -> str:
    """`2026-06-01T12:10:00.000000Z` as `12:10`."""
    return str(text)[11:19].removesuffix(":00")


@pytest.mark.parametrize("name", CASES)
def test_the_table(name: str) -> None:
    case = CASES[name]
    said = decided(case)
    assert (said.due, said.source, said.wake) == (
        None if case.due is None else at(case.due),
        case.source,
        case.wake,
    )
    passed = tuple(
        (one["reason"], clock(one["first"]), clock(one["last"]), one["count"]) for one in said.passed or ()
    )
    assert passed == case.passed


@pytest.mark.parametrize("name", CASES)
def test_each_case_replays_from_its_trail(name: str) -> None:
    """The trail alone, with the row's own columns and definition, gives the same decision."""
    case = CASES[name]
    said = decided(case)
    assert replay(said.trail, case.after, case.base, definition(case.schedule, **case.members)) == said


@pytest.mark.parametrize("name", [n for n, c in CASES.items() if str(c.source).startswith("baseline")])
def test_the_plain_baseline_leaves_no_trail(name: str) -> None:
    case = CASES[name]
    if case.passing is None:
        assert decided(case).trail is None


def test_a_trail_says_what_counted_as_it_stood() -> None:
    said = govern(
        AFTER,
        BASE,
        definition(min_interval_s=120, max_interval_s=3600, **AT_END),
        (once("13:00"), every(60), once("12:04", expires="12:00")),
    )
    assert said.trail == {
        "hints": [
            {
                "kind": "interval",
                "every_s": 60,
                "given": "2026-06-01T11:55:00.000000Z",
                "expires": "2026-06-01T20:00:00.000000Z",
            },
            {
                "kind": "oneshot",
                "at": "2026-06-01T13:00:00.000000Z",
                "given": "2026-06-01T11:55:00.000000Z",
                "expires": "2026-06-01T20:00:00.000000Z",
            },
        ],
        "won": "interval",
        "min_s": 120,
        "max_s": 3600,
        "paused_until": "2026-06-01T12:45:00.000000Z",
        "resume": "at_end",
    }


def test_more_passed_over_than_are_counted_is_said() -> None:
    said = govern(AFTER, BASE, definition({"every_s": 1}), (every(3600),))
    assert said.passed == [
        {
            "first": "2026-06-01T12:00:01.000000Z",
            "last": "2026-06-01T13:00:02.000000Z",
            "count": 1000,
            "reason": "hint",
            "more": True,
        }
    ]
