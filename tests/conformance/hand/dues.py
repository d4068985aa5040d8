"""Timestamps worked by hand: the text, and the canonical form or the code of the refusal."""

# ruff: noqa: E501 - a case is one line, however long
from __future__ import annotations

import json
from collections.abc import Iterator

from tests.conformance.hand.working import Worked, entry, refusal

_TAKEN = (
    ("the canonical form stays", "2026-11-30T09:00:00.000000Z", "2026-11-30T09:00:00.000000Z"),
    ("a small z", "2026-11-30T09:00:00z", "2026-11-30T09:00:00.000000Z"),
    ("a small t", "2026-11-30t09:00:00Z", "2026-11-30T09:00:00.000000Z"),
    ("a space between", "2026-11-30 09:00:00Z", "2026-11-30T09:00:00.000000Z"),
    ("one digit of fraction", "2026-11-30T09:00:00.5Z", "2026-11-30T09:00:00.500000Z"),
    ("the last microsecond", "2026-11-30T09:00:59.999999Z", "2026-11-30T09:00:59.999999Z"),
    ("zeros behind the sixth digit", "2026-11-30T09:00:00.1234560000Z", "2026-11-30T09:00:00.123456Z"),
    ("an offset with a colon", "2026-11-30T10:00:00+01:00", "2026-11-30T09:00:00.000000Z"),
    ("an offset without a colon", "2026-11-30T10:00:00+0100", "2026-11-30T09:00:00.000000Z"),
    ("an offset of hours alone", "2026-11-30T10:00:00+01", "2026-11-30T09:00:00.000000Z"),
    ("west of Greenwich the instant is later", "2026-11-30T04:00:00-05:00", "2026-11-30T09:00:00.000000Z"),
    ("minus zero is UTC", "2026-11-30T09:00:00-00:00", "2026-11-30T09:00:00.000000Z"),
    ("plus zero, short", "2026-11-30T09:00:00+00", "2026-11-30T09:00:00.000000Z"),
    ("Nepal", "2026-11-30T14:45:00+05:45", "2026-11-30T09:00:00.000000Z"),
    ("the largest offset east", "2026-11-30T09:00:00+23:59", "2026-11-29T09:01:00.000000Z"),
    ("the largest offset west", "2026-11-30T09:00:00-2359", "2026-12-01T08:59:00.000000Z"),
    ("over the turn of the year", "2027-01-01T00:30:00+01:00", "2026-12-31T23:30:00.000000Z"),
    ("into a leap day", "2024-03-01T00:30:00+01", "2024-02-29T23:30:00.000000Z"),
    ("out of a leap day", "2024-02-29T23:30:00-01", "2024-03-01T00:30:00.000000Z"),
    ("2000 is a leap year", "2000-02-29T12:00:00Z", "2000-02-29T12:00:00.000000Z"),
    ("over the end of a century that is none", "2100-02-28T23:00:00-02:00", "2100-03-01T01:00:00.000000Z"),
    ("the first instant", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"),
    ("the first instant, seen from the east", "1970-01-01T05:45:00+05:45", "1970-01-01T00:00:00.000000Z"),
    ("the first instant, seen from the west", "1969-12-31T19:00:00-05:00", "1970-01-01T00:00:00.000000Z"),
    ("the last instant", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
    ("the fraction does not move with the offset", "2026-11-30T09:00:00.000001+00:30", "2026-11-30T08:30:00.000001Z"),
    ("three digits", "2026-11-30T09:00:00.120Z", "2026-11-30T09:00:00.120000Z"),
    ("after 2038", "2038-01-19T03:14:08Z", "2038-01-19T03:14:08.000000Z"),
)  # fmt: skip
_REFUSED = (
    ("the empty text", "", "bad_timestamp"),
    ("a date alone", "2026-11-30", "bad_timestamp"),
    ("no seconds", "2026-11-30T09:00Z", "bad_timestamp"),
    ("no separators", "20261130T090000Z", "bad_timestamp"),
    ("a comma for the fraction", "2026-11-30T09:00:00,5Z", "bad_timestamp"),
    ("a point and no digit", "2026-11-30T09:00:00.Z", "bad_timestamp"),
    ("two spaces", "2026-11-30  09:00:00Z", "bad_timestamp"),
    ("an underscore between", "2026-11-30_09:00:00Z", "bad_timestamp"),
    ("a space before the offset", "2026-11-30T09:00:00 Z", "bad_timestamp"),
    ("a line feed at the end", "2026-11-30T09:00:00Z\n", "bad_timestamp"),
    ("a space at the start", " 2026-11-30T09:00:00Z", "bad_timestamp"),
    ("an offset of one digit", "2026-11-30T09:00:00+1", "bad_timestamp"),
    ("an offset of three digits", "2026-11-30T09:00:00+100", "bad_timestamp"),
    ("an offset with seconds", "2026-11-30T09:00:00+01:00:00", "bad_timestamp"),
    ("the minus sign of typographers", "2026-11-30T09:00:00\u221201:00", "bad_timestamp"),
    ("a name for the offset", "2026-11-30T09:00:00UTC", "bad_timestamp"),
    ("Arabic digits", "\u0662\u0660\u0662\u0666-11-30T09:00:00Z", "bad_timestamp"),
    ("wide digits", "2026-11-30T09:00:0\uff10Z", "bad_timestamp"),
    ("a year of five digits", "12026-11-30T09:00:00Z", "bad_timestamp"),
    ("a day of the week", "2026-W49-1T09:00:00Z", "bad_timestamp"),
    ("no offset", "2026-11-30T09:00:00", "no_offset"),
    ("no offset, and fields that are none", "2026-13-41T29:61:61", "no_offset"),
    ("no offset, and too fine", "2026-11-30T09:00:00.1234567", "no_offset"),
    ("seven digits", "2026-11-30T09:00:00.1234567Z", "too_precise"),
    ("a seventh digit that would round", "2026-11-30T09:00:00.9999999Z", "too_precise"),
    ("too fine comes before a day that does not exist", "2026-02-30T09:00:00.0000001Z", "too_precise"),
    ("too fine comes before out of range", "1960-01-01T00:00:00.0000001Z", "too_precise"),
    ("month 13", "2026-13-01T09:00:00Z", "bad_timestamp"),
    ("month 0", "2026-00-01T09:00:00Z", "bad_timestamp"),
    ("day 0", "2026-11-00T09:00:00Z", "bad_timestamp"),
    ("the 31st of November", "2026-11-31T09:00:00Z", "bad_timestamp"),
    ("the 29th of February of no leap year", "2026-02-29T09:00:00Z", "bad_timestamp"),
    ("2100 is no leap year", "2100-02-29T09:00:00Z", "bad_timestamp"),
    ("24:00", "2026-11-30T24:00:00Z", "bad_timestamp"),
    ("minute 60", "2026-11-30T09:60:00Z", "bad_timestamp"),
    ("a leap second", "2016-12-31T23:59:60Z", "bad_timestamp"),
    ("an offset of 24 hours", "2026-11-30T09:00:00+24:00", "bad_timestamp"),
    ("an offset of 60 minutes", "2026-11-30T09:00:00+0060", "bad_timestamp"),
    ("the year 0", "0000-06-01T00:00:00Z", "bad_timestamp"),
    ("a bad field comes before out of range", "1960-02-30T00:00:00Z", "bad_timestamp"),
    ("the year 1", "0001-06-01T00:00:00Z", "out_of_range"),
    ("the last microsecond before 1970", "1969-12-31T23:59:59.999999Z", "out_of_range"),
    ("1970 in the east only", "1970-01-01T00:00:00+00:01", "out_of_range"),
    ("after 9999 in UTC", "9999-12-31T23:59:59.999999-00:01", "out_of_range"),
    ("before the year 1 in UTC", "0001-01-01T00:00:00+23:59", "out_of_range"),
)  # fmt: skip


def dues() -> Iterator[Worked]:
    for number, (about, text, due) in enumerate(_TAKEN, 1):
        yield entry(f"hand-due-{number:02}", about, [_request(text)], {"due": due}, "by hand")
    for number, (about, text, code) in enumerate(_REFUSED, 1):
        name = f"hand-due-refused-{number:02}"
        yield entry(name, about, [_request(text)], refusal(code, "due"), "by hand")
    for number, value in enumerate((None, 1796029200, True, ["2026-11-30T09:00:00Z"]), 1):
        answer = refusal("not_a_string", "due")
        yield entry(f"hand-due-no-text-{number}", "no text at all", [_request(value)], answer, "by hand")


def _request(text: object) -> str:
    return json.dumps({"op": "due", "text": text})
