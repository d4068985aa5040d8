"""Requests for `due`: every notation of a timestamp, every offset form, each field at its edges."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from conformance.making import dues, wire
from conformance.making.sets import Candidate, chance, of


def due_texts() -> Iterator[Candidate]:
    rng = chance("due")
    others: tuple[object, ...] = (
        None,
        True,
        False,
        0,
        1764493200,
        -1.5,
        [],
        {},
        [None],
        ["2026-11-30T09:00:00Z"],
        {"text": "x"},
        [[]],
    )
    for value in others:
        yield of("due", f"a text that is {wire.plain(value)}", value)
    for text in _due_texts(rng):
        yield of("due", "a timestamp", text)
    for label, make in dues.FAULTS.items():
        for _ in range(12):
            yield of("due", label, make(rng), rng)
    for number in range(40):
        yield of("due", f"valid {number + 1}", dues.valid(rng), rng)


def _due_texts(rng: random.Random) -> Iterator[str]:
    offsets = (
        "00:00",
        "00:01",
        "01:00",
        "05:30",
        "05:45",
        "12:00",
        "14:00",
        "15:59",
        "16:00",
        "18:00",
        "18:01",
        "23:59",
    )
    for offset, sign in itertools.product(offsets, "+-"):
        hour, minute = offset.split(":")
        yield f"2026-11-30T09:00:00{sign}{hour}:{minute}"
        yield f"2026-11-30{rng.choice('Tt ')}23:59:59.25{sign}{hour}{minute}"
        yield f"2027-01-01T00:00:00{sign}{hour}"
    yield from (f"2026-11-30{separator}09:00:00{zulu}" for separator in "Tt " for zulu in "Zz")
    bad = (
        "+24:00",
        "-24",
        "+2400",
        "+23:60",
        "-0060",
        "+1",
        "+1:00",
        "+001:00",
        "+01:0",
        "+01:000",
        "+01:",
        "+01:00:00",
    )
    more = (
        "",
        "+",
        "-",
        "UTC",
        "GMT",
        " Z",
        "Z ",
        "ZZ",
        "Z+01:00",
        "+01:00Z",
        "+ 01:00",
        "−01:00",
        "+0１:00",
        "±01:00",
        "+a1:00",
    )
    for offset in (*bad, *more, "[UTC]", "+01.5", "+01:00\n", "Z\n", "Z\r", "\u005a\u0000"):
        yield f"2026-11-30T09:00:00{offset}"
    digits = (
        "0",
        "5",
        "000001",
        "999999",
        "0000010",
        "1234560000000",
        "0000000",
        "1234567",
        "0000001",
        "9999995",
        "12345600000000000001",
    )
    for fraction in (*digits, "", "5.5", "5,5", "١", "1_0", "-1", "+1", " 5", "0" * 300, "0" * 299 + "1"):
        yield f"2026-11-30T09:00:00.{fraction}Z"
        yield f"2026-11-30T09:00:00.{fraction}"
    days = (
        "01-31",
        "01-32",
        "02-28",
        "02-29",
        "02-30",
        "03-31",
        "04-30",
        "04-31",
        "06-31",
        "09-31",
        "11-31",
        "12-31",
        "00-01",
        "13-01",
        "01-00",
    )
    for year, day in itertools.product(("2000", "2023", "2024", "2100", "2400"), days):
        yield f"{year}-{day}T12:00:00Z"
    for time in (
        "24:00:00",
        "23:60:00",
        "23:59:60",
        "00:00:00",
        "23:59:59",
        "99:99:99",
        "9:00:00",
        "09:0:00",
        "09:00",
        "090000",
    ):
        yield f"2026-11-30T{time}Z"
    for edge in (
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "1970-01-01T00:00:00+00:01",
        "1969-12-31T23:59:00-00:01",
    ):
        yield edge
    for edge in (
        "9999-12-31T23:59:59.999999Z",
        "9999-12-31T23:59:59-00:01",
        "9999-12-31T23:59:59.999999+23:59",
    ):
        yield edge
    for year in (
        "0000",
        "0001",
        "0099",
        "0100",
        "1582",
        "1900",
        "1969",
        "1970",
        "9999",
        "10000",
        "999",
        "-001",
        "+2026",
        "02026",
    ):
        yield f"{year}-01-02T00:00:00Z"
    yield from (
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
        "0000-12-31T23:59:59-23:59",
        "2026-11-30",
        "now",
        "",
    )
    yield from (
        "2026-334T09:00:00Z",
        "2026-W49-1T09:00:00Z",
        "20261130T090000Z",
        "2026/11/30 09:00:00Z",
        "1764493200",
        "２026-11-30T09:00:00Z",
    )
