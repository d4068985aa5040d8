"""The grammar of `rrule`: what of RFC 5545 a schedule may say. It reads and refuses; it never walks.

One line, `RRULE:` and its parts, each once, in any order. What RDATE and EXDATE say elsewhere is said
by `any` with `at`, and by `exclude`. A refusal points at its place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, NoReturn, TypeVar, cast

from ledger.authored.refusals import TextRefused
from ledger.facts import shown

R = TypeVar("R")
Frequency = Literal["YEARLY", "MONTHLY", "WEEKLY", "DAILY"]

LONGEST = 4096
_PREFIX = "RRULE:"
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,5}")
_WEEKDAY = re.compile(r"(-?[1-9][0-9]?)?(MO|TU|WE|TH|FR|SA|SU)")
_WALL = re.compile(r"([0-9]{4})[0-9]{4}T(?:[01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]")
_FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY")
_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


class RruleRefused(TextRefused):
    """An rrule text was not taken; the message names the part and the right form."""


class ByDay(NamedTuple):
    """A weekday, Monday 0, and which of its period: 1 the first, -1 the last, 0 every one."""

    weekday: int
    nth: int


@dataclass(frozen=True, slots=True)
class RruleText:
    """An rrule as read. Lists are ascending and have no repeats; an empty one says nothing.

    `count` and `until` are None where the rule has no such end; at most one of them stands.
    """

    frequency: Frequency
    interval: int = 1
    count: int | None = None
    until: datetime | None = None
    week_start: int = 0
    months: tuple[int, ...] = ()
    month_days: tuple[int, ...] = ()
    year_days: tuple[int, ...] = ()
    days: tuple[ByDay, ...] = ()
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    seconds: tuple[int, ...] = ()
    positions: tuple[int, ...] = ()


class _Part(NamedTuple):
    """One part of a text, and where it and its value stand."""

    name: str
    value: str
    at: int
    value_at: int
    text: str

    def refuse(self, message: str, at: int | None = None) -> NoReturn:
        raise RruleRefused(message, self.value_at if at is None else at, self.text)

    def items(self) -> Iterator[tuple[str, int]]:
        at = self.value_at
        for item in self.value.split(","):
            yield item, at
            at += len(item) + 1


def read_rrule(text: str) -> RruleText:
    """Read an rrule text of dialect 1. Raises RruleRefused with the place of what it does not take."""
    parts = _parts(text)
    _check_together(text, parts)
    return RruleText(
        frequency=cast("Frequency", parts["FREQ"].value),
        interval=_read(parts, "INTERVAL", lambda part: int(part.value), 1),
        count=_read(parts, "COUNT", lambda part: int(part.value), None),
        until=_read(parts, "UNTIL", lambda part: datetime.fromisoformat(part.value), None),
        week_start=_read(parts, "WKST", lambda part: _WEEKDAYS.index(part.value), 0),
        months=_read(parts, "BYMONTH", _integers, ()),
        month_days=_read(parts, "BYMONTHDAY", _integers, ()),
        year_days=_read(parts, "BYYEARDAY", _integers, ()),
        days=_read(parts, "BYDAY", _days, ()),
        hours=_read(parts, "BYHOUR", _integers, ()),
        minutes=_read(parts, "BYMINUTE", _integers, ()),
        seconds=_read(parts, "BYSECOND", _integers, ()),
        positions=_read(parts, "BYSETPOS", _integers, ()),
    )


def _read(parts: dict[str, _Part], name: str, reading: Callable[[_Part], R], default: R) -> R:
    part = parts.get(name)
    return default if part is None else reading(part)


def _integers(part: _Part) -> tuple[int, ...]:
    return tuple(sorted({int(item) for item, _ in part.items()}))


def _days(part: _Part) -> tuple[ByDay, ...]:
    return tuple(sorted({ByDay(_WEEKDAYS.index(item[-2:]), int(item[:-2] or 0)) for item, _ in part.items()}))


def _parts(text: str) -> dict[str, _Part]:
    """Cut a text into its parts, and judge each by itself."""
    if len(text) > LONGEST:
        raise RruleRefused(f"has {len(text)} characters; the most is {LONGEST}", LONGEST, text)
    if not text.startswith(_PREFIX):
        raise RruleRefused(
            f"{shown(text)} must be one line that starts with RRULE:, such as RRULE:FREQ=DAILY;COUNT=3",
            0,
            text,
        )
    parts: dict[str, _Part] = {}
    at = len(_PREFIX)
    for written in text.removeprefix(_PREFIX).split(";"):
        name, equals, value = written.partition("=")
        part = _Part(name, value, at, at + len(name) + 1, text)
        if name not in _CHECKS or not equals:
            known = ", ".join(_CHECKS)
            part.refuse(f"{shown(written)} is no part; there are {known}, each NAME=value, in capitals", at)
        if name in parts:
            part.refuse(f"{name} stands twice", at)
        parts[name] = part
        at += len(written) + 1
    for part in parts.values():
        _CHECKS[part.name](part)
    return parts


def _check_together(text: str, parts: dict[str, _Part]) -> None:
    """The rules between parts that RFC 5545 and the dialect state."""
    if "FREQ" not in parts:
        raise RruleRefused(f"has no FREQ; write one of FREQ={', '.join(_FREQUENCIES)}", len(_PREFIX), text)
    frequency = parts["FREQ"].value
    if "COUNT" in parts and "UNTIL" in parts:
        _refuse_part(parts["UNTIL"], "COUNT and UNTIL exclude each other")
    if "BYMONTHDAY" in parts and frequency == "WEEKLY":
        _refuse_part(parts["BYMONTHDAY"], "BYMONTHDAY does not go with FREQ=WEEKLY")
    if "BYYEARDAY" in parts and frequency != "YEARLY":
        _refuse_part(parts["BYYEARDAY"], "BYYEARDAY goes with FREQ=YEARLY alone")
    if "BYDAY" in parts and frequency not in ("MONTHLY", "YEARLY"):
        for item, at in parts["BYDAY"].items():
            if len(item) > len("MO"):
                parts["BYDAY"].refuse("a numbered BYDAY goes with FREQ=MONTHLY and FREQ=YEARLY alone", at)
    if "BYSETPOS" in parts and not any(name.startswith("BY") and name != "BYSETPOS" for name in parts):
        _refuse_part(parts["BYSETPOS"], "BYSETPOS needs another part that starts with BY")


def _refuse_part(part: _Part, message: str) -> NoReturn:
    part.refuse(message, part.at)


def _one_of(*words: str) -> Callable[[_Part], None]:
    def check(part: _Part) -> None:
        if part.value not in words:
            part.refuse(f"{part.name}={shown(part.value)} must be one of {', '.join(words)}")

    return check


def _number(least: int, most: int) -> Callable[[_Part], None]:
    def check(part: _Part) -> None:
        if not _NUMBER.fullmatch(part.value) or not least <= int(part.value) <= most:
            part.refuse(
                f"{part.name}={shown(part.value)} must be a number from {least} to {most},"
                " without + or leading zeros"
            )

    return check


def _numbers(least: int, most: int, *, from_the_end: bool = False) -> Callable[[_Part], None]:
    """A list of numbers; `from_the_end` lets them be negative too, counted backwards."""

    def check(part: _Part) -> None:
        for item, at in part.items():
            number = int(item) if _NUMBER.fullmatch(item) else None
            if number is None or not least <= (abs(number) if from_the_end else number) <= most:
                form = f"{least} to {most}" + (f", or -{most} to -{least}" if from_the_end else "")
                part.refuse(f"{part.name}: {shown(item)} must be {form}, without + or leading zeros", at)

    return check


def _weekdays(part: _Part) -> None:
    for item, at in part.items():
        match = _WEEKDAY.fullmatch(item)
        if not match or abs(int(match[1] or 1)) > 53:
            part.refuse(
                f"{part.name}: {shown(item)} must be MO to SU, perhaps with a number to ±53 before it: -1FR",
                at,
            )


def _until(part: _Part) -> None:
    match = _WALL.fullmatch(part.value)
    if not match or not "1970" <= match[1] <= "9998":
        part.refuse(
            f"{part.name}={shown(part.value)} must be a local time of 1970 to 9998, such as 20261231T235959"
        )
    try:
        datetime.fromisoformat(part.value)
    except ValueError:
        part.refuse(f"{part.name}={shown(part.value)} is no day of the calendar")


_CHECKS: dict[str, Callable[[_Part], None]] = {
    "FREQ": _one_of(*_FREQUENCIES),
    "INTERVAL": _number(1, 9999),
    "COUNT": _number(1, 100_000),
    "UNTIL": _until,
    "WKST": _one_of(*_WEEKDAYS),
    "BYMONTH": _numbers(1, 12),
    "BYMONTHDAY": _numbers(1, 31, from_the_end=True),
    "BYYEARDAY": _numbers(1, 366, from_the_end=True),
    "BYDAY": _weekdays,
    "BYHOUR": _numbers(0, 23),
    "BYMINUTE": _numbers(0, 59),
    "BYSECOND": _numbers(0, 59),
    "BYSETPOS": _numbers(1, 366, from_the_end=True),
}
