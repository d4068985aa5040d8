"""The doors of a task: friendlier forms become the plain object, a stored text becomes a definition."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ledger.authored.fold import fold
from ledger.authored.friendly import plain_task
from ledger.authored.models import Dst, Exclude, Misfire, Retry, Schedule, Task
from ledger.errors import TaskRefused

PARIS_WINTER = timezone(timedelta(hours=1))


def refused(task: object) -> str:
    with pytest.raises(TaskRefused) as caught:
        fold(plain_task(task))
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("15m", 900),
        ("1h30m", 5_400),
        ("1h 30m", 5_400),
        ("90s", 90),
        ("1d", 86_400),
        ("1w", 604_800),
        ("1d2h3m4s", 93_784),
        ("0h1m", 60),
        (timedelta(minutes=15), 900),
        (timedelta(days=1, seconds=1), 86_401),
        (60, 60),
        (60.0, 60),
    ],
)
def test_a_duration_becomes_whole_seconds(written: int | float | str | timedelta, seconds: int) -> None:
    task = Task(
        entrypoint="x",
        schedule=Schedule(every_s=written),
        timeout_s=written,
        misfire=Misfire(grace_s=written),
        retry=Retry(backoff_s=written, max_s=written),
        min_interval_s=written,
        max_interval_s=written,
    )
    assert task.raw() == {
        "entrypoint": "x",
        "schedule": {"every_s": seconds},
        "timeout_s": seconds,
        "misfire": {"grace_s": seconds},
        "retry": {"backoff_s": seconds, "max_s": seconds},
        "min_interval_s": seconds,
        "max_interval_s": seconds,
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "15",
        "15 m",
        "m",
        "1.5h",
        "-15m",
        "30m1h",
        "15M",
        "15min",
        "1h  30m",
        "PT15M",
        "15m\n",
        "\u0661m",
    ],
)
def test_what_is_no_duration_is_refused_at_its_path(text: str) -> None:
    assert refused({"entrypoint": "x", "schedule": {"every_s": text}}) == (
        f"schedule.every_s: {text!r} is no duration; write 900, '15m' or '1h30m' (w d h m s, in this order)"
    )


def test_a_fraction_of_a_second_is_refused() -> None:
    task = {"entrypoint": "x", "schedule": {"every_s": 60}, "retry": {"max_s": timedelta(seconds=1.5)}}
    assert (
        refused(task) == "retry.max_s: 0:00:01.500000 has a fraction of a second; durations are whole seconds"
    )
    assert refused({**task, "retry": {"max_s": timedelta(seconds=-1)}}).startswith(
        "retry.max_s: must be a whole"
    )


def test_times_become_canonical_texts() -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=PARIS_WINTER)
    schedule = Schedule(
        rrule="RRULE:FREQ=DAILY",
        start=datetime(2026, 11, 30, 9),  # noqa: DTZ001 - a wall time has no zone of its own
        starts_at=noon,
        ends_at="2027-01-01T00:00:00+01:00",
        exclude=[
            Exclude(on=date(2026, 12, 25)),
            Exclude(on="01-01"),
            Exclude(from_=noon, to="2026-12-01T00:00:00Z"),
        ],
        dst=Dst(gap="skip"),
        spread_s="10m",
    )
    task = Task(entrypoint="x", schedule=schedule, paused_until=noon)
    assert fold(task.raw()).authored == {
        "entrypoint": "x",
        "paused_until": "2026-11-30T11:00:00.000000Z",
        "schedule": {
            "rrule": "RRULE:FREQ=DAILY",
            "start": "2026-11-30T09:00:00",
            "starts_at": "2026-11-30T11:00:00.000000Z",
            "ends_at": "2026-12-31T23:00:00.000000Z",
            "exclude": [
                {"on": "2026-12-25"},
                {"on": "01-01"},
                {"from": "2026-11-30T11:00:00.000000Z", "to": "2026-12-01T00:00:00.000000Z"},
            ],
            "dst": {"gap": "skip"},
            "spread_s": 600,
        },
    }


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ({"at": datetime(2026, 1, 1)}, "schedule.at: 2026-01-01 00:00:00 has no zone"),  # noqa: DTZ001 - the case
        ({"at": date(2026, 1, 1)}, "schedule.at: 2026-01-01 is a whole day"),
        ({"at": datetime(1, 1, 1, tzinfo=PARIS_WINTER)}, "schedule.at: 0001-01-01 00:00:00+01:00 lies out"),
        ({"at": datetime(1969, 1, 1, tzinfo=UTC)}, "schedule.at: '1969-01-01T00:00:00.000000Z' lies outside"),
        (
            {"rrule": "RRULE:FREQ=DAILY", "start": datetime(2026, 1, 1, tzinfo=UTC)},
            "schedule.start: 2026-01-01 00:00:00+00:00 has an offset",
        ),
        (
            {"every_s": 60, "exclude": [{"on": datetime(2026, 1, 1, tzinfo=UTC)}]},
            "schedule.exclude.0.on: 2026-01-01 00:00:00+00:00 is an instant",
        ),
        ({"any": [{"every_s": 60}, {"every_s": "soon"}]}, "schedule.any.1.every_s: 'soon' is no duration"),
        ({"any": [Schedule(at=datetime(2026, 1, 1))]}, "schedule.any.0.at: 2026-01-01 00:00:00 has no zone"),  # noqa: DTZ001 - the case
    ],
)  # fmt: skip
def test_a_time_that_cannot_be_read_is_refused_at_its_path(schedule: object, message: str) -> None:
    assert refused({"entrypoint": "x", "schedule": schedule}).startswith(message)


def test_a_file_in_yaml_folds_as_the_same_task_in_json() -> None:
    """YAML reads `on` as true and dates as dates; opaque values are taken as they come."""
    text = """
        entrypoint: report
        schedule:
          any:
            - {cron: "0 9 * * mon", timezone: Europe/Paris}
            - {at: 2026-11-30T10:00:00+01:00}
          exclude:
            - on: 2026-12-25
            - on: "02-29"
            - {from: 2026-12-30T00:00:00Z, to: 2026-12-31T00:00:00Z}
        timeout_s: 15m
        retry:
          attempts: 2
          on: [timed_out, lost]
        payload: {on: [1, 2], every_s: 15m}
    """
    task = yaml.safe_load(text)
    # In an opaque value a name that YAML made a truth value is nobody's to mend.
    assert refused(task) == "task: has a name that is not text, True; write what JSON can hold"
    task["payload"] = {"every_s": "15m"}
    assert fold(plain_task(task)).authored == {
        "entrypoint": "report",
        "schedule": {
            "any": [
                {"cron": "0 9 * * MON", "timezone": "Europe/Paris"},
                {"at": "2026-11-30T09:00:00.000000Z"},
            ],
            "exclude": [
                {"on": "2026-12-25"},
                {"on": "02-29"},
                {"from": "2026-12-30T00:00:00.000000Z", "to": "2026-12-31T00:00:00.000000Z"},
            ],
        },
        "retry": {"attempts": 2, "on": ["lost", "timed_out"]},
        "payload": {"every_s": "15m"},
    }


def test_plain_json_passes_a_door_unchanged() -> None:
    task = {"entrypoint": "x", "schedule": {"any": [{"every_s": 60}], "exclude": []}, "retry": None, "x": [1]}
    assert plain_task(task) == task
    for other in (None, 7, "x", []):
        assert plain_task(other) == other
    odd = {"entrypoint": 7, "schedule": [], "retry": 7, "misfire": "x", "timeout_s": None}
    assert plain_task(odd) == odd


def test_a_task_in_python_may_mix_parts_and_mappings() -> None:
    mixed = Task(
        entrypoint="x",
        schedule={"any": [Schedule(every_s="1m"), {"cron": "@daily"}]},
        retry={"on": ("lost",), "max_s": "1h"},
        labels={"a": "b"},
        payload={"kept": None},
        name=None,
    )
    assert fold(mixed.raw()).authored == {
        "entrypoint": "x",
        "schedule": {"any": [{"every_s": 60}, {"cron": "@DAILY"}]},
        "retry": {"on": ["lost"]},
        "labels": {"a": "b"},
        "payload": {"kept": None},
    }
    assert plain_task(mixed) == mixed.raw()


def test_a_task_in_python_is_refused_like_any_other() -> None:
    """One class of error, one kind of path, whoever notices."""

    def message(part: type[Task] | type[Schedule] | type[Retry], **members: object) -> str:
        with pytest.raises(TaskRefused) as caught:
            part(**members)
        return str(caught.value)

    assert message(Task, entrypoint="x", schedul={}) == "schedul: is no member here; did you mean 'schedule'?"
    assert message(Task, schedule={}) == "entrypoint: cannot be null"
    assert message(Task, entrypoint="x", schedule={}, timeout_s=True) == "timeout_s: cannot be true"
    assert message(Task, entrypoint="x", schedule={}, zone=1, Zone=1).startswith("Zone: is no member here")
    assert message(Schedule, every="15m") == "schedule.every: is no member here; did you mean 'every_s'?"
    assert message(Retry, attempts="3") == "retry.attempts: cannot be '3'"


def test_a_task_cannot_be_changed_in_place() -> None:
    task = Task(entrypoint="x", schedule=Schedule(every_s=60))
    with pytest.raises(ValidationError, match="frozen"):
        task.name = "other"


@given(st.integers(0, 8), st.integers(0, 40), st.integers(0, 40), st.integers(0, 90), st.integers(0, 90))
def test_a_written_duration_adds_up(weeks: int, days: int, hours: int, minutes: int, seconds: int) -> None:
    counts = {"w": weeks, "d": days, "h": hours, "m": minutes, "s": seconds}
    text = "".join(f"{count}{unit}" for unit, count in counts.items() if count) or "0s"
    whole = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    assert plain_task({"timeout_s": text}) == {"timeout_s": whole.total_seconds()}
    assert plain_task({"timeout_s": whole}) == {"timeout_s": whole.total_seconds()}
