"""The forms of single values: text, numbers, choices, timestamps, facts, and the local texts.

Each form folds a value to its one spelling or refuses it at its path, and says how to write it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from ledger.authored.members import Form, nearest, refuse
from ledger.errors import FactRefused
from ledger.facts import instant_text, read_destination, read_identifier, read_instant, shown

_LOCAL = re.compile(r"([0-9]{4})-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]")
_DATE = re.compile(r"(?:([0-9]{4})-)?([0-9]{2})-([0-9]{2})")
# A year with a 29 February, for dates without a year.
_LEAP_YEAR = 2000


def text(most: int, least: int = 0) -> Form:
    """Unicode text without U+0000, kept as it is; its length is counted in code points."""

    def fold_text(value: object, path: str, _above: Mapping[str, object]) -> object:
        if not isinstance(value, str):
            refuse(path, f"must be text, not {shown(value)}")
        if not least <= len(value) <= most:
            refuse(path, f"must be text of {least} to {most} characters, not of {len(value)}")
        if "\0" in value:
            refuse(path, f"has U+0000 as character {value.index(chr(0)) + 1}; leave it out")
        return value

    return fold_text


def number(least: int, most: int, unit: str = "") -> Form:
    """A whole number in a range: any spelling whose nearest double is whole, never text."""
    wanted = f"a whole number{unit and f' of {unit}'} from {least} to {most}"

    def fold_number(value: object, path: str, _above: Mapping[str, object]) -> object:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            refuse(path, f"must be {wanted}, not {shown(value)}")
        return value

    return fold_number


def seconds(least: int, most: int) -> Form:
    """A duration: a whole number of seconds in a range."""
    return number(least, most, "seconds")


def choice(*words: str, small: bool = False) -> Form:
    """One of these words exactly; with `small` its capitals `A` to `Z` are made small first."""

    def fold_choice(value: object, path: str, _above: Mapping[str, object]) -> object:
        if small and isinstance(value, str) and value.isascii():
            value = value.lower()
        if not isinstance(value, str) or value not in words:
            hint = nearest(value, words) if isinstance(value, str) else ""
            refuse(path, f"must be one of {', '.join(words)}, not {shown(value)}{hint}")
        return value

    return fold_choice


def flag(value: object, path: str, _above: Mapping[str, object]) -> object:
    """true or false, nothing that stands for them."""
    if not isinstance(value, bool):
        refuse(path, f"must be true or false, not {shown(value)}")
    return value


def anything(value: object, _path: str, _above: Mapping[str, object]) -> object:
    """An opaque value, kept whole; that it is sound JSON was seen for the whole task."""
    return value


def identifier(value: object, path: str, _above: Mapping[str, object]) -> object:
    """An identifier, as for the facts of a key."""
    try:
        return read_identifier(value, path)
    except FactRefused as error:
        refuse(path, _reason(error))


def destination(value: object, path: str, _above: Mapping[str, object]) -> object:
    """`token:identifier`, as for the fact of a key; the token's capitals become small."""
    try:
        return read_destination(value, path)
    except FactRefused as error:
        refuse(path, _reason(error))


def timestamp(value: object, path: str, _above: Mapping[str, object]) -> object:
    """A timestamp with an offset, from 1970; folded to UTC with six digits."""
    try:
        return instant_text(read_instant(value, path))
    except FactRefused as error:
        refuse(path, _reason(error))


def later_timestamp(other: str) -> Form:
    """A timestamp that must be later than the member `other` above it, where that is given."""

    def fold_later(value: object, path: str, above: Mapping[str, object]) -> object:
        folded = timestamp(value, path, above)
        earlier = above.get(other)
        # Canonical timestamps sort as text.
        if isinstance(earlier, str) and isinstance(folded, str) and folded <= earlier:
            refuse(path, f"{folded} must be later than {other}, {earlier}")
        return folded

    return fold_later


def local_time(value: object, path: str, _above: Mapping[str, object]) -> object:
    """A local date and time of the calendar, 1970 to 9998, without an offset."""
    wanted = "a local time of 1970 to 9998, such as 2026-11-30T09:00:00 (the timezone says where)"
    match = _LOCAL.fullmatch(value) if isinstance(value, str) else None
    if not isinstance(value, str) or not match or not "1970" <= match[1] <= "9998":
        refuse(path, f"must be {wanted}, not {shown(value)}")
    try:
        datetime.fromisoformat(value)
    except ValueError as error:
        refuse(path, f"must be {wanted}; {shown(value)} does not exist: {error}")
    return value


def calendar_date(value: object, path: str, _above: Mapping[str, object]) -> object:
    """A date that exists, `YYYY-MM-DD`, or one of every year, `MM-DD` (02-29: of leap years)."""
    wanted = "a date, 2026-12-25 or 12-25"
    match = _DATE.fullmatch(value) if isinstance(value, str) else None
    if not match:
        refuse(path, f"must be {wanted}, not {shown(value)}")
    year, month, day = match.groups()
    try:
        datetime(int(year or _LEAP_YEAR), int(month), int(day))  # noqa: DTZ001 - a date, no instant
    except ValueError as error:
        refuse(path, f"must be {wanted}; {shown(value)} does not exist: {error}")
    return value


def _reason(error: FactRefused) -> str:
    """A fact's refusal without the fact's name, which the path says already."""
    return error.message.removeprefix(f"{error.fact}: ")
