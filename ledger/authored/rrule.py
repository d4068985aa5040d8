"""The grammar of `rrule`: what of RFC 5545 a schedule may say. It judges the text, it never walks it.

One line, `RRULE:` and its parts, each once, in any order. What RDATE and EXDATE say elsewhere is said
by `any` with `at`, and by `exclude`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import NoReturn

from ledger.errors import BadInput
from ledger.facts import shown

LONGEST = 4096
_PREFIX = "RRULE:"
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,5}")
_WEEKDAY = re.compile(r"(-?[1-9][0-9]?)?(?:MO|TU|WE|TH|FR|SA|SU)")
_WALL = re.compile(r"([0-9]{4})[0-9]{4}T(?:[01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]")
_FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY")


class RruleRefused(BadInput):
    """An rrule text was not taken; the message names the part and the right form."""


def check_rrule(text: str) -> None:
    """Take or refuse an rrule text of dialect 1. Raises RruleRefused."""
    if len(text) > LONGEST:
        _refuse(f"has {len(text)} characters; the most is {LONGEST}")
    if not text.startswith(_PREFIX):
        _refuse(f"{shown(text)} must be one line that starts with RRULE:, such as RRULE:FREQ=DAILY;COUNT=3")
    parts: dict[str, str] = {}
    for part in text.removeprefix(_PREFIX).split(";"):
        name, equals, value = part.partition("=")
        if name not in _PARTS or not equals:
            _refuse(f"{shown(part)} is no part; there are {', '.join(_PARTS)}, each NAME=value, in capitals")
        if name in parts:
            _refuse(f"{name} stands twice")
        parts[name] = value
    for name, value in parts.items():
        _PARTS[name](name, value)
    _check_together(parts)


def _check_together(parts: dict[str, str]) -> None:
    """The rules between parts that RFC 5545 and the dialect state."""
    frequency = parts.get("FREQ")
    if frequency is None:
        _refuse(f"has no FREQ; write one of FREQ={', '.join(_FREQUENCIES)}")
    if "COUNT" in parts and "UNTIL" in parts:
        _refuse("COUNT and UNTIL exclude each other")
    if "BYMONTHDAY" in parts and frequency == "WEEKLY":
        _refuse("BYMONTHDAY does not go with FREQ=WEEKLY")
    if "BYYEARDAY" in parts and frequency != "YEARLY":
        _refuse("BYYEARDAY goes with FREQ=YEARLY alone")
    numbered = any(character.isdigit() for character in parts.get("BYDAY", ""))
    if numbered and frequency not in ("MONTHLY", "YEARLY"):
        _refuse("a numbered BYDAY goes with FREQ=MONTHLY and FREQ=YEARLY alone")
    if "BYSETPOS" in parts and not any(name.startswith("BY") and name != "BYSETPOS" for name in parts):
        _refuse("BYSETPOS needs another part that starts with BY")


def _one_of(*words: str) -> Callable[[str, str], None]:
    def check(name: str, value: str) -> None:
        if value not in words:
            _refuse(f"{name}={shown(value)} must be one of {', '.join(words)}")

    return check


def _number(least: int, most: int) -> Callable[[str, str], None]:
    def check(name: str, value: str) -> None:
        if not _NUMBER.fullmatch(value) or not least <= int(value) <= most:
            _refuse(
                f"{name}={shown(value)} must be a number from {least} to {most}, without + or leading zeros"
            )

    return check


def _numbers(least: int, most: int, *, from_the_end: bool = False) -> Callable[[str, str], None]:
    """A list of numbers; `from_the_end` lets them be negative too, counted backwards."""

    def check(name: str, value: str) -> None:
        for item in value.split(","):
            number = int(item) if _NUMBER.fullmatch(item) else None
            if number is None or not least <= (abs(number) if from_the_end else number) <= most:
                sign = f", or -{most} to -{least}" if from_the_end else ""
                _refuse(f"{name}: {shown(item)} must be {least} to {most}{sign}, without + or leading zeros")

    return check


def _weekdays(name: str, value: str) -> None:
    for item in value.split(","):
        match = _WEEKDAY.fullmatch(item)
        if not match or abs(int(match[1] or 1)) > 53:
            _refuse(f"{name}: {shown(item)} must be MO to SU, perhaps with a number to ±53 before it: -1FR")


def _until(name: str, value: str) -> None:
    match = _WALL.fullmatch(value)
    if not match or not "1970" <= match[1] <= "9998":
        _refuse(f"{name}={shown(value)} must be a local time of 1970 to 9998, such as 20261231T235959")
    try:
        datetime.fromisoformat(value)
    except ValueError:
        _refuse(f"{name}={shown(value)} is no day of the calendar")


def _refuse(message: str) -> NoReturn:
    raise RruleRefused(message)


_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_PARTS: dict[str, Callable[[str, str], None]] = {
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
