"""Slots worked by hand, and what is refused: the tables beside this file, made into entries."""

# ruff: noqa: E501 - a case is one line, however long

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.making.wire import Raw, plain
from tests.conformance.hand.slots_plain import CRON, CRON_AFTER, OTHERS
from tests.conformance.hand.slots_rules import RULES
from tests.conformance.hand.slots_zones import ZONES
from tests.conformance.hand.working import Worked, entry, refusal

_AFTER = "2026-11-30T00:00:00Z"
_GOOD = '"cron":"0 9 * * *"'

# The examples of the specification.
_PARIS = '"cron":"30 2 * * *","timezone":"Europe/Paris"'
_SPECIFIED: tuple[tuple[str, str, str, int, str], ...] = (
    ("the spring of Paris", "2026-03-28T00:00:00Z", _PARIS, 3, "2026-03-28T01:30 2026-03-29T01:00 2026-03-30T00:30"),
    ("the spring of Paris, skipped", "2026-03-28T00:00:00Z", f'{_PARIS},"dst":{{"gap":"skip"}}', 3, "2026-03-28T01:30 2026-03-30T00:30 2026-03-31T00:30"),
    ("the autumn of Paris, both", "2026-10-24T12:00:00Z", f'{_PARIS},"dst":{{"overlap":"both"}}', 3, "2026-10-25T00:30 2026-10-25T01:30 2026-10-26T01:30"),
    ("the spring of Paris in real time", "2026-03-28T12:00:00Z", '"cron":"*/30 2 * * *","timezone":"Europe/Paris"', 3, "2026-03-30T00:00 2026-03-30T00:30 2026-03-31T00:00"),
    ("the first weekday in Nepal", "2026-07-15T00:00:00Z", '"cron":"0 9 1W * *","timezone":"Asia/Kathmandu"', 3, "2026-08-03T03:15 2026-09-01T03:15 2026-10-01T03:15"),
    ("Samoa without a day", "2011-12-29T00:00:00Z", '"cron":"0 12 * * *","timezone":"Pacific/Apia"', 3, "2011-12-29T22:00 2011-12-30T22:00 2011-12-31T22:00"),
    ("an anchor to come", "2026-11-30T00:00:00Z", '"every_s":86400,"anchor":"2030-01-01T06:00:00.5Z"', 3, "2026-11-30T06:00:00.500000 2026-12-01T06:00:00.500000 2026-12-02T06:00:00.500000"),
    ("the end of all", "2199-12-31T22:30:00Z", '"cron":"@HOURLY"', 5, "2199-12-31T23:00"),
)  # fmt: skip

# What is refused: (about, members of the schedule, after, count, the code, the fact).
_REFUSED: tuple[tuple[str, str, object, object, str, str], ...] = (
    ("no kind", "", _AFTER, 1, "bad_schedule", "schedule"),
    ("two kinds", '"every_s":60,"at":"2026-11-30T00:00:00Z"', _AFTER, 1, "bad_schedule", "schedule"),
    ("an interval of zero", '"every_s":0', _AFTER, 1, "bad_schedule", "schedule"),
    ("a zone that is none", f'{_GOOD},"timezone":"europe/paris"', _AFTER, 1, "bad_schedule", "schedule"),
    ("a date that never is", '"cron":"0 0 31 4 *"', _AFTER, 1, "bad_schedule", "schedule"),
    ("a range that wraps with a step", '"cron":"0 22-2/2 * * *"', _AFTER, 1, "bad_schedule", "schedule"),
    ("L beside a weekday", '"cron":"0 0 L * 1"', _AFTER, 1, "bad_schedule", "schedule"),
    ("five fields with seconds", '"cron":"0 9 * * *","seconds":true', _AFTER, 1, "bad_schedule", "schedule"),
    ("dst beside every_s", '"every_s":60,"dst":{"gap":"skip"}', _AFTER, 1, "bad_schedule", "schedule"),
    ("an end that is not later", f'{_GOOD},"starts_at":"{_AFTER}","ends_at":"{_AFTER}"', _AFTER, 1, "bad_schedule", "schedule"),
    ("a day that does not exist", f'{_GOOD},"exclude":[{{"on":"02-30"}}]', _AFTER, 1, "bad_schedule", "schedule"),
    ("an unknown member that is null", f'{_GOOD},"x":null', _AFTER, 1, "bad_schedule", "schedule"),
    ("the schedule is judged first", '"every_s":0', "x", 0, "bad_schedule", "schedule"),
    ("no text", _GOOD, 0, 1, "not_a_string", "after"),
    ("null for a text", _GOOD, None, 1, "not_a_string", "after"),
    ("no timestamp", _GOOD, "now", 1, "bad_timestamp", "after"),
    ("no offset", _GOOD, "2026-11-30T00:00:00", 1, "no_offset", "after"),
    ("a seventh digit", _GOOD, "2026-11-30T00:00:00.0000001Z", 1, "too_precise", "after"),
    ("a day that is none", _GOOD, "2026-11-31T00:00:00Z", 1, "bad_timestamp", "after"),
    ("before 1800", _GOOD, "1799-12-31T23:59:59.999999Z", 1, "out_of_range", "after"),
    ("1800 in the east only", _GOOD, "1800-01-01T00:00:00+00:01", 1, "out_of_range", "after"),
    ("after is judged before the count", _GOOD, "now", 0, "bad_timestamp", "after"),
    ("none", _GOOD, _AFTER, 0, "bad_count", "count"),
    ("less than none", _GOOD, _AFTER, -1, "bad_count", "count"),
    ("a thousand and one", _GOOD, _AFTER, 1001, "bad_count", "count"),
    ("half a slot", _GOOD, _AFTER, Raw("0.5"), "bad_count", "count"),
    ("a count as text", _GOOD, _AFTER, "1", "bad_count", "count"),
    ("true is no number", _GOOD, _AFTER, True, "bad_count", "count"),
    ("no count", _GOOD, _AFTER, None, "bad_count", "count"),
    ("a count beyond all numbers", _GOOD, _AFTER, Raw("1e400"), "bad_count", "count"),
)  # fmt: skip


def slots() -> Iterator[Worked]:
    rows = [(about, _AFTER, _cron(text), count, found) for about, text, count, found in CRON]
    rows += [(about, after, _cron(text), count, found) for about, after, text, count, found in CRON_AFTER]
    rows += OTHERS
    rows += [
        (
            about,
            after,
            f'{_cron(text)},"timezone":{json.dumps(zone)}{"," if more else ""}{more}',
            count,
            found,
        )
        for about, after, zone, text, more, count, found in ZONES
    ]
    for number, row in enumerate(_SPECIFIED, 1):
        yield _worked(f"hand-slots-example-{number}", row, "specification")
    for number, row in enumerate(rows, 1):
        yield _worked(f"hand-slots-{number:03}", row, "by hand")
    for number, (about, start, rule, more, count, found) in enumerate(RULES, 1):
        members = f'"rrule":"RRULE:{rule}","start":"{start}"{"," if more else ""}{more}'
        slots = " ".join(f"{day}{start[10:16]}" if "T" not in day else day for day in found.split())
        row = (about, "1970-01-01T00:00:00Z", members, count, slots)
        yield _worked(f"hand-slots-rule-{number:02}", row, "by hand")
    for number, (about, members, after, asked, code, fact) in enumerate(_REFUSED, 1):
        name = f"hand-slots-refused-{number:02}"
        yield entry(name, about, [_request(members, after, asked)], refusal(code, fact), "by hand")


def _worked(name: str, row: tuple[str, str, str, int, str], origin: str) -> Worked:
    about, after, members, count, found = row
    expected = [_canonical(slot) for slot in found.split()]
    answer: dict[str, object] = {"slots": expected, "ended": len(expected) < count}
    return entry(name, about, [_request(members, after, count)], answer, origin)


def _cron(text: str) -> str:
    return f'"cron":"{text}"'


def _request(members: str, after: object, count: object) -> str:
    return f'{{"op":"slots","schedule":{{{members}}},"after":{plain(after)},"count":{plain(count)}}}'


def _canonical(short: str) -> str:
    """`2026-11-30T09:00` with its seconds and microseconds."""
    whole = short if len(short) > len("2026-11-30T09:00") else f"{short}:00"
    return f"{whole}Z" if "." in whole else f"{whole}.000000Z"
