"""Authored objects as the digest meets them: any JSON, and each way to be refused."""

from __future__ import annotations

import random
from collections.abc import Callable

from conformance.making.wire import Pairs, Raw

_NAMES = (
    "name",
    "a",
    "b",
    "é",
    "\ue000",
    "😀",
    "\ufb33",
    "",
    "__proto__",
    "constructor",
    "10",
    "9",
    "A",
    "\x7f",
    "/",
)
_TEXTS = (
    "",
    "Zoë",
    "Zoe\u0308",
    "😀",
    'a"b\\c/',
    "\x00\x01\x1f\x7f",
    "\b\f\n\r\t",
    "\u2028\u2029",
    "<&>",
    "ſ\u212aİ",
    "\ufeff",
)
# Numbers at the edges of what a double holds and of how it is written.
NUMBERS = (
    *("0", "-0", "-0.0", "0e0", "0.0", "1", "1.0", "10e-1", "60", "6e1", "6E+1", "600e-1", "0.1", "1e-1"),
    *("0.000001", "1e-6", "1e-7", "0.0000001", "123456789012345", "9007199254740991", "-9007199254740991"),
    *("9007199254740991.0", "9007199254740991.4", "9007199254740990.5", "4503599627370496.5", "1e-400"),
    *("5e-324", "2.5e-324", "2.2250738585072014e-308", "1e15", "123e13", "0.30000000000000004", "1.5e-10"),
    *(
        "333333333.33333329",
        "1e-27",
        "4.35",
        "1.7976931348623157e-300",
        "-1.5",
        "-1e-7",
        "100000000000000000000e-10",
    ),
    *("0.1e1", "1E0", "1000000.00000000000000000000001", "0.00000000000000000000000000000000000000001"),
)
BAD_NUMBERS = (
    *("9007199254740992", "-9007199254740992", "9007199254740993.0", "9007199254740991.5", "1e16", "1e21"),
    *(
        "1e30",
        "1e308",
        "1e309",
        "-1e309",
        "1e999999",
        "18446744073709551616",
        "123456789012345678901234567890",
    ),
    *("0.1e17", "90071992547409920e-1", "1" + "0" * 400),
)
_HALVES = ("\ud800", "\udfff", "a\udc00", "\ud83d", "\ude00\ud83d", "\udbffz")
NOT_OBJECTS: tuple[object, ...] = (None, True, False, 0, -1, 1.5, "", "{}", "null", [], [[]], [{}], [None])

Maker = Callable[[random.Random], object]


def valid(rng: random.Random) -> dict[str, object]:
    """An authored object that no check refuses."""
    return {name: _value(rng, 3) for name in rng.sample(_NAMES, rng.randint(0, 5))}


def _value(rng: random.Random, levels: int, *, top: bool = True) -> object:
    turn = rng.randrange(8 if levels else 4)
    if turn == 0:
        return rng.choice(_TEXTS)
    if turn == 1:
        return Raw(rng.choice(NUMBERS))
    if turn == 2:
        return rng.choice((True, False, 0, 7, rng.randint(-(10**6), 10**6), rng.random()))
    if turn == 3:
        return rng.choice(("x", True)) if top else None
    if turn < 6:
        return [_value(rng, levels - 1, top=False) for _ in range(rng.randint(0, 3))]
    return {name: _value(rng, levels - 1, top=False) for name in rng.sample(_NAMES, rng.randint(0, 4))}


def nested(levels: int, kind: str = "[") -> object:
    """`levels` levels of arrays, of objects, or of both by turns."""
    value: object = [] if kind == "[" else {}
    for level in range(1, levels):
        inside_array = kind == "[" or (kind == "mixed" and level % 2)
        value = [value] if inside_array else {"a": value}
    return value


def with_member(value: dict[str, object], rng: random.Random, name: str, member: object) -> Pairs:
    """The object with one more member at a place by chance."""
    pairs = [pair for pair in value.items() if pair[0] != name]
    pairs.insert(rng.randint(0, len(pairs)), (name, member))
    return Pairs(tuple(pairs))


def _not_an_object(rng: random.Random) -> object:
    return rng.choice((*NOT_OBJECTS, [valid(rng)]))


def _duplicate(rng: random.Random) -> object:
    name = rng.choice(_NAMES)
    # The second time with an escape, which compares as the character that it stands for.
    twice = Pairs(((name, 1), ("z", 2), (name, rng.choice((1, None, "\ud800")))))
    return rng.choice((twice, with_member(valid(rng), rng, "b", [{"c": twice}])))


def _bad_text(rng: random.Random) -> object:
    half = rng.choice(_HALVES)
    return with_member(valid(rng), rng, "b", rng.choice((half, [half], {half: 1}, {"c": [{"d": half}]})))


def _bad_number(rng: random.Random) -> object:
    number = Raw(rng.choice(BAD_NUMBERS))
    return with_member(valid(rng), rng, "b", rng.choice((number, [1, number], {"c": {"d": number}})))


def _too_deep(rng: random.Random) -> object:
    levels = rng.choice((64, 64, 65, 70, 97))
    return with_member(valid(rng), rng, "b", nested(levels, rng.choice(("[", "{", "mixed"))))


def _not_authored(rng: random.Random) -> object:
    name = rng.choice(("enabled", "tenant", "task", "name", "zz", ""))
    member: object = None if name in ("name", "zz", "") else rng.choice((True, "x", None, {}))
    return with_member(valid(rng), rng, name, member)


def _too_large(rng: random.Random) -> object:
    return with_member(valid(rng), rng, "b", rng.choice(("x" * 65536, "é" * 32768, ["\x00" * 11000])))


# In the order in which they are found.
FAULTS: dict[str, Maker] = {
    "not_an_object": _not_an_object,
    "duplicate_member": _duplicate,
    "bad_text": _bad_text,
    "bad_number": _bad_number,
    "too_deep": _too_deep,
    "not_authored": _not_authored,
    "too_large": _too_large,
}
