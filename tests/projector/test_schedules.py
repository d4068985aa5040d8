"""Every kind of schedule as a task has it: defined, opened, started; and what is refused at the door."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from ledger.errors import TaskRefused
from projector.moves.edit import edit, read_patch
from tests.moves.acting import TENANT, claim_all, define, defined, finished, folded
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")
NEW_YORK = {"timezone": "America/New_York"}


def opened(stage: Stage, task: str) -> tuple[object, ...]:
    (row,) = stage.ask(
        "SELECT due, run_at, source FROM ledger.occurrence WHERE task = %s AND state = 'pending'", [task]
    )
    return row


@pytest.mark.parametrize(
    ("schedule", "source", "slots"),
    [
        ({"cron": "*/20 * * * * *", "seconds": True}, "cron", ["06-01 12:00:20", "06-01 12:00:40"]),
        ({"cron": "0 18 L * ?", **NEW_YORK}, "cron", ["06-30 22:00:00", "07-31 22:00:00"]),
        (
            {
                "rrule": "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
                "start": "2026-01-01T17:00:00",
                **NEW_YORK,
            },
            "rrule",
            ["06-30 21:00:00", "07-31 21:00:00"],
        ),
        (
            {
                "any": [
                    {"cron": "0 9 * * *", **NEW_YORK},
                    {"at": "2026-06-01T13:30:00.5Z"},
                    {"cron": "@daily"},
                ]
            },
            "union",
            ["06-01 13:00:00", "06-01 13:30:00.500000", "06-02 00:00:00"],
        ),
        (
            {"cron": "0 9 * * *", "exclude": [{"on": "06-02"}], "ends_at": "2026-06-03T09:00:00.000001Z"},
            "cron",
            ["06-03 09:00:00", None],
        ),
        ({"every_s": 3600, "starts_at": "2026-07-01T00:30:00Z"}, "interval", ["07-01 01:00:00"]),
    ],
)
def test_each_kind_opens_its_slots_one_after_the_other(
    stage: Stage, schedule: dict[str, object], source: str, slots: list[str | None]
) -> None:
    """A start opens the successor in its own transaction, whatever the rule; a series ends by saying so."""
    stage.at(NOON)
    defined(stage, "a", folded(schedule=schedule))
    for slot in slots:
        if slot is None:
            assert stage.ask("SELECT count(*) FROM ledger.occurrence WHERE state = 'ended'") == [(1,)]
            break
        due = datetime.fromisoformat(f"2026-{slot}+00:00")
        assert opened(stage, "a") == (due, due, f"baseline-{source}")
        stage.at(due)
        (run,) = stage.run(claim_all()).started
        assert run.due == due
        # The run ends at once, so that the next slot finds nothing in its way.
        stage.run(finished(run.key), "tenant", TENANT)


def test_a_spread_moves_the_wake_and_never_the_slot(stage: Stage) -> None:
    """2,339 of 3,600 seconds are this task's share, as implementations agree (I19)."""
    stage.at(NOON)
    defined(stage, "weekly-report", folded(schedule={"cron": "0 9 * * *", "spread_s": 3600}))
    due = instant("2026-06-02 09:00")
    run_at = due + timedelta(seconds=2339)
    assert opened(stage, "weekly-report")[:2] == (due, run_at)
    stage.at(run_at - timedelta(microseconds=1))
    assert stage.run(claim_all()).started == []
    stage.at(run_at)
    (run,) = stage.run(claim_all()).started
    assert run.due == due
    assert opened(stage, "weekly-report")[:2] == (due + timedelta(days=1), run_at + timedelta(days=1))


REFUSED = [
    ({"rrule": "RRULE:FREQ=MONTHLY;BYDAY=6MO", "start": "2026-01-01T00:00:00"}, "schedule.rrule"),
    ({"any": [{"every_s": 60}, {"at": "2300-01-01T00:00:00Z"}]}, "schedule.any.1.at"),
    ({"cron": "0 9 25 12 *", "exclude": [{"on": "12-25"}]}, "schedule.exclude"),
    ({"every_s": 60, "starts_at": "2250-01-01T00:00:00Z"}, "schedule.starts_at"),
    ({"every_s": 60, "spread_s": 60}, "schedule.spread_s"),
    ({"cron": "0 9 * * *", "timezone": "Berlin"}, "schedule.timezone"),
]


@pytest.mark.parametrize(("schedule", "path"), REFUSED)
def test_what_gives_no_slot_is_refused_when_it_is_defined_or_edited(
    stage: Stage, schedule: dict[str, object], path: str
) -> None:
    """One line, with the member's path; nothing is stored."""
    stage.at(NOON)
    defined(stage, "a", folded())
    before = stage.state()
    with pytest.raises(TaskRefused) as refused:
        stage.run(define("b", folded(schedule=schedule)), "tenant", TENANT)
    assert refused.value.path == path
    assert "\n" not in str(refused.value)
    patch = read_patch({"schedule": {"every_s": None, **schedule}})
    with pytest.raises(TaskRefused) as refused:
        stage.run(edit(TENANT, "a", patch, "anna"), "tenant", TENANT)
    assert refused.value.path == path
    assert stage.state() == before


def test_a_series_that_has_passed_is_taken_and_says_that_it_has_ended(stage: Stage) -> None:
    stage.at(NOON)
    for n, schedule in enumerate(
        (
            {"at": "2026-05-31T00:00:00Z"},
            {"rrule": "RRULE:FREQ=DAILY;COUNT=3", "start": "2026-01-01T09:00:00"},
            {"cron": "0 9 * * *", "ends_at": "2026-06-01T00:00:00Z"},
        )
    ):
        (acted,) = stage.run(define(f"t{n}", folded(schedule=schedule)), "tenant", TENANT)
        assert acted.did == "defined"
        assert acted.ended
