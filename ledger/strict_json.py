"""Strict JSON: reads RFC 8259 text without hiding anything, and says what a JSON value holds.

The reader of the standard library forgives: it takes `NaN`, keeps the last of two members with one
name, and lets half a surrogate pair through. A digest that is derived on both sides of a wire
cannot forgive, since the other side's reader forgives something else (I19). So a doubled name is
kept visible (`Doubled`), and `inspect` finds, in one walk, whatever makes a value unfit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from ledger.errors import BadInput

MAX_NUMBER = 2**53 - 1
# Characters and values that one walk looks at. A line of 1 MiB cannot hold more, but an object built
# in memory can: one that refers to itself, or a YAML file whose aliases multiply.
MAX_WEIGHT = 2**20


class NotJson(BadInput):
    """The text is not one RFC 8259 value in UTF-8."""


class Doubled(dict[str, object]):
    """An object in which a name stands twice; `pairs` has every member, in order."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


@dataclass(slots=True)
class Findings:
    """What a JSON value holds, at any depth. `plain`: ASCII names, no fraction, nothing odd."""

    depth: int = 0
    weight: int = 0
    doubled: bool = False
    bad_text: bool = False
    bad_number: bool = False
    foreign: str | None = None
    plain: bool = True

    @property
    def endless(self) -> bool:
        """More than a walk is willing to look at; the other findings are then incomplete."""
        return self.weight > MAX_WEIGHT


def read(line: bytes) -> object:
    """Read one JSON value. Raises NotJson: not UTF-8, a byte order mark, NaN, anything after the value."""
    try:
        return _DECODER.decode(line.decode())
    except UnicodeDecodeError as error:
        raise NotJson(f"not UTF-8 at byte {error.start + 1}") from error
    except json.JSONDecodeError as error:
        raise NotJson(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise NotJson("nests deeper than any reader follows") from error


def inspect(value: object) -> Findings:
    """Walk a value level by level (no recursion: a value may be deeper than the stack) and report."""
    found = Findings()
    level: list[object] = []
    _look_at([value], found, level)
    while level and found.weight <= MAX_WEIGHT:
        found.depth += 1
        below: list[object] = []
        for container in level:
            if isinstance(container, dict):
                _look_at(_members(container, found), found, below)
            elif isinstance(container, list | tuple):
                _look_at(container, found, below)
            if found.weight > MAX_WEIGHT:
                break
        level = below
    return found


def _members(container: dict[object, object], found: Findings) -> Iterable[object]:
    """An object's values, its names looked at; of a doubled object those that were overwritten too."""
    if isinstance(container, Doubled):
        found.doubled = True
        found.plain = False
        return [part for pair in container.pairs for part in pair]
    for name in container:
        if not isinstance(name, str):
            found.foreign = f"a name that is not text, {name!r}"
            continue
        found.weight += len(name)
        if not name.isascii():
            found.plain = False
            found.bad_text |= not _is_unicode(name)
    return container.values()


def _look_at(values: Iterable[object], found: Findings, below: list[object]) -> None:
    """Note what these values are, and put the containers among them on the next level."""
    weight = 0
    for value in values:
        weight += 1
        if isinstance(value, str):
            weight += len(value)
            if not value.isascii() and not _is_unicode(value):
                found.bad_text = True
        elif isinstance(value, dict | list | tuple):
            below.append(value)
        elif value is None or isinstance(value, bool):
            pass
        elif isinstance(value, int | float):
            if isinstance(value, float):
                found.plain = False
            # Written so that NaN, which compares with nothing, is bad too.
            if not -MAX_NUMBER <= value <= MAX_NUMBER:
                found.bad_number = True
        else:
            found.foreign = f"a {type(value).__name__}"
    found.weight += weight


def _is_unicode(text: str) -> bool:
    """Whether the text has no lone surrogate, which no UTF-8 can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    return members if len(members) == len(pairs) else Doubled(pairs)


def _read_whole_number(text: str) -> int | float:
    """Any number is the nearest double; one that no double holds exactly is left to be refused."""
    return int(text) if len(text) <= 17 else float(text)


def _refuse_constant(word: str) -> object:
    raise NotJson(f"not JSON: {word} is no number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_read_members, parse_int=_read_whole_number, parse_constant=_refuse_constant
)
