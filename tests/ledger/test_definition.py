"""A stored text read back: every default applied, nothing lost, safe to share."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from ledger.authored.fold import fold
from ledger.authored.models import Definition
from ledger.errors import Misconfigured


def test_a_definition_has_every_default() -> None:
    """Beside the table of the specification, member by member."""
    definition = Definition.of('{"entrypoint":"x","schedule":{"every_s":60}}')
    assert (definition.name, definition.description, definition.pause_note) == ("", "", "")
    assert (definition.agent, definition.destination, definition.delivery) == (
        "default",
        "local:default",
        "python",
    )
    assert (definition.entrypoint, definition.arguments) == ("x", ())
    assert (definition.overlap, definition.timeout_s, definition.failure_backoff) == ("skip", 900, "double")
    assert (definition.misfire.catch_up, definition.misfire.grace_s, definition.misfire.limit) == (
        "latest",
        None,
        100,
    )
    retry = definition.retry
    assert (retry.attempts, retry.on, retry.backoff_s, retry.factor) == (0, ("failed", "timed_out"), 10, 2)
    assert retry.max_s == 3_600
    assert (definition.min_interval_s, definition.max_interval_s) == (None, None)
    assert (definition.paused_until, definition.resume) == (None, "next_slot")
    assert (definition.payload, definition.labels, definition.display) == (None, {}, None)
    schedule = definition.schedule
    assert (schedule.dialect, schedule.seconds, schedule.timezone, schedule.spread_s) == (1, False, "UTC", 0)
    assert (schedule.cron, schedule.at, schedule.rrule, schedule.start, schedule.any) == (None,) * 5
    assert (schedule.every_s, schedule.anchor) == (60, datetime(1970, 1, 1, tzinfo=UTC))
    assert (schedule.dst.gap, schedule.dst.overlap) == ("shift", "first")
    assert (schedule.starts_at, schedule.ends_at, schedule.exclude) == (None, None, ())


def test_a_definition_has_every_member_that_was_folded() -> None:
    folded = fold(
        {
            "name": "n", "description": "d", "agent": "a", "destination": "t:1", "delivery": "command",
            "entrypoint": "x", "arguments": ["-v"], "payload": {"a": [1.5, None]}, "overlap": "queue",
            "misfire": {"catch_up": "all", "grace_s": 5, "limit": 7}, "timeout_s": 8,
            "retry": {"attempts": 1, "on": ["lost"], "backoff_s": 2, "factor": 3, "max_s": 4},
            "failure_backoff": "none", "min_interval_s": 1, "max_interval_s": 2,
            "paused_until": "2026-11-30T10:00:00+01:00", "pause_note": "p", "resume": "at_end",
            "labels": {"l": "m"}, "display": [0],
            "schedule": {
                "any": [
                    {"cron": "0 0 9 * * *", "seconds": True, "timezone": "GMT", "dst": {"gap": "skip"}},
                    {"rrule": "RRULE:FREQ=DAILY", "start": "2026-01-01T09:00:00", "dst": {"overlap": "both"}},
                    {"every_s": 60, "anchor": "2026-01-01T00:00:00Z"},
                    {"at": "2026-01-01T00:00:00Z"},
                ],
                "timezone": "Asia/Tokyo", "spread_s": 9,
                "starts_at": "2026-01-01T00:00:00Z", "ends_at": "2027-01-01T00:00:00Z",
                "exclude": [{"on": "12-25"}, {"from": "2026-01-01T00:00:00Z", "to": "2026-01-02 00:00:00.5Z"}]
            },
        }
    )  # fmt: skip
    definition = Definition.of(folded.canonical)
    new_year = datetime(2026, 1, 1, tzinfo=UTC)
    assert definition.paused_until == datetime(2026, 11, 30, 9, tzinfo=UTC)
    assert (definition.payload, definition.labels, definition.display) == (
        {"a": [1.5, None]},
        {"l": "m"},
        [0],
    )
    assert (definition.arguments, definition.retry.on, definition.misfire.limit) == (("-v",), ("lost",), 7)
    assert definition.canonical == folded.canonical
    schedule = definition.schedule
    assert schedule.any is not None
    cron, rrule, every, at = schedule.any
    assert (cron.cron, cron.seconds, cron.timezone, cron.dst.gap) == (
        "0 0 9 * * *",
        True,
        "GMT",
        "skip",
    )
    assert (rrule.rrule, rrule.start) == ("RRULE:FREQ=DAILY", "2026-01-01T09:00:00")
    assert (rrule.dst.overlap, rrule.timezone) == ("both", "UTC")
    assert (every.every_s, every.anchor, at.at) == (60, new_year, new_year)
    assert (schedule.starts_at, schedule.ends_at) == (new_year, datetime(2027, 1, 1, tzinfo=UTC))
    assert (schedule.exclude[0].on, schedule.exclude[1].from_) == ("12-25", new_year)
    assert schedule.exclude[1].to == datetime(2026, 1, 2, 0, 0, 0, 500_000, tzinfo=UTC)
    assert (schedule.timezone, schedule.spread_s) == ("Asia/Tokyo", 9)
    # Nothing of the folded object is lost on the way, whatever is added to it later.
    fields = set(Definition.model_fields) - {"canonical"}
    assert set(folded.authored) == fields | {"payload", "labels", "display"}
    fields = {"from" if name == "from_" else name for name in type(schedule.exclude[0]).model_fields}
    assert {name for element in folded.authored["schedule"]["exclude"] for name in element} == fields
    assert set(type(schedule).model_fields) == set(type(cron).model_fields) | {
        "dialect", "any", "starts_at", "ends_at", "exclude", "spread_s",
    }  # fmt: skip


def test_equal_schedules_are_one_key_of_a_cache() -> None:
    text = '{"entrypoint":"%s","schedule":{"at":"2026-01-01T00:00:00.000000Z","exclude":[{"on":"12-25"}]}}'
    one, other = Definition.of(text % "x").schedule, Definition.of(text % "y").schedule
    assert one == other
    assert hash(one) == hash(other)
    assert one != Definition.of('{"entrypoint":"x","schedule":{"every_s":60}}').schedule


def test_a_definition_can_be_shared() -> None:
    """What a caller does to a payload stays with the caller."""
    definition = Definition.of('{"entrypoint":"x","payload":{"list":[1]},"schedule":{"every_s":60}}')
    payload = definition.payload
    assert isinstance(payload, dict)
    payload["list"].append(2)
    assert definition.payload == {"list": [1]}
    with pytest.raises(ValidationError, match="frozen"):
        definition.timeout_s = 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("[]", "the whole: "),
        ("{}", "entrypoint: Field required"),
        ('{"entrypoint":"x"}', "schedule: Field required"),
        ('{"entrypoint":"x","schedule":{},"timeout_s":"a"}', "timeout_s: "),
        # From a release to come: what it means is not known here, so it is not passed over.
        ('{"entrypoint":"x","schedule":{"every_s":60,"jitter":1}}', "schedule.jitter: "),
        ('{"entrypoint":"x","priority":1,"schedule":{"every_s":60}}', "priority: "),
        ('{"entrypoint":"x","overlap":"merge","schedule":{"every_s":60}}', "overlap: "),
    ],
)
def test_a_text_of_another_release_is_said_to_be_one(text: str, found: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        Definition.of(text)
    told = str(caught.value)
    assert told.startswith(f"the stored definition {text!r} cannot be read ({found}")
    assert told.endswith("); run the release that wrote it")
    assert "\n" not in told
