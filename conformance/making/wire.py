"""JSON texts of requests, in spellings that no serialiser of a standard library would choose.

A value is plain Python, or `Raw` where the very characters count (`6e1`, `-0`), or `Pairs` where an object
repeats a name. Lone surrogates in a text are written as escapes.
"""

from __future__ import annotations

import json
import random
from typing import NamedTuple


class Raw(NamedTuple):
    """A piece of JSON text that is written as it stands."""

    text: str


class Pairs(NamedTuple):
    """An object by its members in order, in which a name may stand twice."""

    pairs: tuple[tuple[str, object], ...]


_SHORT = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "/": "\\/",
}
_SPACES = ("", "", "", "", " ", "\t", "\r", "  ")


def plain(value: object) -> str:
    """Compact JSON in UTF-8, as most clients write it."""
    return _write(value, None)


def spelled(value: object, rng: random.Random) -> str:
    """The same value with white space, escapes, number spellings and an order of members at random."""
    return _write(value, rng)


def request(op: str, **parts: object) -> str:
    """A request as most clients write it."""
    return plain({"op": op, **parts})


def _write(value: object, rng: random.Random | None) -> str:
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, Pairs):
        return _object(list(value.pairs), rng)
    if isinstance(value, dict):
        members = list(value.items())
        if rng is not None and rng.random() < 0.5:
            rng.shuffle(members)
        return _object(members, rng)
    if isinstance(value, list | tuple):
        return _array(list(value), rng)
    return _scalar(value, rng)


def _array(elements: list[object], rng: random.Random | None) -> str:
    space = _space(rng)
    return f"[{space}{f'{space},{_space(rng)}'.join(_write(element, rng) for element in elements)}{space}]"


def _scalar(value: object, rng: random.Random | None) -> str:
    if isinstance(value, str):
        return _text(value, rng)
    if isinstance(value, int) and not isinstance(value, bool) and rng is not None:
        return _whole(value, rng)
    return json.dumps(value)


def _object(members: list[tuple[str, object]], rng: random.Random | None) -> str:
    space = _space(rng)
    written = (f"{_text(name, rng)}{space}:{_space(rng)}{_write(member, rng)}" for name, member in members)
    return f"{{{space}{f'{space},{space}'.join(written)}{space}}}"


def _space(rng: random.Random | None) -> str:
    return "" if rng is None else rng.choice(_SPACES)


def _text(value: str, rng: random.Random | None) -> str:
    odd = rng is not None and rng.random() < 0.2
    if not odd and value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return f'"{"".join(_sign(sign, rng if odd else None) for sign in value)}"'


def _sign(sign: str, rng: random.Random | None) -> str:
    code = ord(sign)
    if 0xD800 <= code <= 0xDFFF:
        return f"\\u{code:04x}"
    if rng is not None and (chance := rng.random()) < 0.3:
        if sign in _SHORT and chance < 0.15:
            return _SHORT[sign]
        units = sign.encode("utf-16-be").hex()
        units = units.upper() if chance < 0.2 else units
        return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
    if code < 0x20 or sign in '"\\':
        return _SHORT.get(sign, f"\\u{code:04x}")
    return sign


def _whole(value: int, rng: random.Random) -> str:
    """A whole number, now and then as a fraction or with an exponent."""
    turn = rng.randrange(12)
    if turn == 0:
        return f"{value}.0"
    if turn == 1:
        return f"{value}e0"
    if turn == 2:
        return f"{value}.000E+00"
    if turn == 3 and value % 10 == 0 and value:
        return f"{value // 10}e1"
    if turn == 4:
        return f"{value}0E-1"
    return str(value)
