"""JSON values as the judge sees them: read without forgiving, compared by one rendering, shown by byte.

Two answers agree when they are the same JSON value: the order of members and the spelling of a number or
a character do not count. So each side is brought into one rendering, and those bytes are compared; where
they differ, people are shown the very byte. Promise I19.
"""

from __future__ import annotations

import json
from typing import NamedTuple

# Bytes shown on each side of the first byte that differs.
_BEFORE = 24
_AFTER = 48


class NotJson(ValueError):
    """The bytes are not one JSON value in UTF-8, or repeat a name, or hold half a surrogate pair."""


class Difference(NamedTuple):
    """Where two renderings part: the offset in bytes from 0, and a piece of each side around it."""

    at: int
    expected: str
    answered: str
    mark: int


def read(line: bytes) -> object:
    """Read one JSON value. Raises NotJson for what strict JSON does not take."""
    try:
        value: object = _DECODER.decode(line.decode())
        _ = rendering(value)
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error
    return value


def rendering(value: object) -> bytes:
    """The one rendering of a JSON value: members by UTF-16 units, a number the same for the same double."""
    return _render(value).encode()


def difference(expected: bytes, answered: bytes) -> Difference:
    """Where two different renderings part, with a window of each side; never call it with equal ones."""
    shorter = min(len(expected), len(answered))
    at = next((i for i in range(shorter) if expected[i] != answered[i]), shorter)
    start = max(0, at - _BEFORE)
    before = _readable(expected[start:at])
    return Difference(
        at,
        before + _readable(expected[at : at + _AFTER]),
        before + _readable(answered[at : at + _AFTER]),
        len(before),
    )


def _render(value: object) -> str:
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_render(name)}:{_render(member)}" for name, member in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_render, value)) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """Digits that no other double has; whole numbers without a fraction, so that 60.0 is 60."""
    double = float(value)
    if double.is_integer() and abs(double) < 1e21:
        return str(int(double))
    return repr(double)


def _readable(part: bytes) -> str:
    """Bytes as text of printable ASCII; all others as escapes, so that a look-alike does not hide."""
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}" for byte in part)


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise NotJson("an object has one name twice")
    return members


def _no_constant(word: str) -> object:
    raise NotJson(f"{word} is no JSON number")


def _whole_number(text: str) -> float:
    """A long number is read as the nearest double at once: no program counts in thousands of digits."""
    return int(text) if len(text) <= 17 else float(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_int=_whole_number, parse_constant=_no_constant)
