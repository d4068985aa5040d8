"""The eight facts: in many right spellings, and each fact with each of its faults."""

from __future__ import annotations

import random
from collections.abc import Callable

from conformance.making import dues

NAMES = ("tenant", "delivery", "wake", "agent", "destination", "task", "digest", "due")
_IDENTIFIER_SIGNS = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '"\\')
_LETTERS_AND_MORE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-"
_FOREIGN = (
    " ",
    '"',
    "\\",
    "\x7f",
    "\x00",
    "\t",
    "\n",
    "\r",
    "é",
    "\u00a0",
    "İ",
    "\u212a",
    "😀",
    "\u2028",
    "\ufeff",
)

Maker = Callable[[random.Random], object]


def identifier(rng: random.Random) -> str:
    return "".join(
        rng.choices(_IDENTIFIER_SIGNS, k=rng.choice((1, 2, rng.randint(3, 24), rng.randint(3, 24), 200)))
    )


def token(rng: random.Random) -> str:
    length = rng.choice((1, rng.randint(2, 12), rng.randint(2, 12), 64))
    return rng.choice(_LETTERS_AND_MORE[:52]) + "".join(rng.choices(_LETTERS_AND_MORE, k=length - 1))


def wake(rng: random.Random) -> str:
    turn = rng.randrange(6)
    if turn == 0:
        return f"{_cased('retry', rng)}:{rng.choice((1, 9, 999999999, rng.randint(1, 10**9 - 1)))}"
    if turn == 1:
        return rng.choice(("schedule", "hint", "end", "Schedule", "HINT", "retry2", "retry-"))
    if turn == 2:
        return f"{rng.choice(('manual', 'backfill', 'Rerun'))}:{identifier(rng)}"
    return token(rng) + rng.choice(("", f"x:{identifier(rng)}", f"x::{identifier(rng)[:100]}"))


def destination(rng: random.Random) -> str:
    return f"{token(rng)}:{identifier(rng)}"


def digest(rng: random.Random) -> str:
    return "".join(rng.choices(rng.choice(("0123456789abcdef", "0123456789ABCDEF", "0a1B2c3D4e5F")), k=64))


VALID: dict[str, Callable[[random.Random], str]] = {
    "tenant": identifier,
    "delivery": token,
    "wake": wake,
    "agent": identifier,
    "destination": destination,
    "task": identifier,
    "digest": digest,
    "due": dues.valid,
}


def valid(rng: random.Random) -> dict[str, object]:
    return {name: make(rng) for name, make in VALID.items()}


def not_a_string(rng: random.Random) -> object:
    return rng.choice((None, True, False, 0, 11, 1.5, [], ["a"], {}, {"a": "b"}))


def _empty(_rng: random.Random) -> str:
    return ""


def _too_long(rng: random.Random) -> str:
    # Too long counts before a foreign character, and it counts code points.
    return rng.choice(("x" * 201, "é" * 201, "😀" * 201, " " * 300, "y" * 1000))


def _bad_character(rng: random.Random) -> str:
    good = identifier(rng)[:190]
    at = rng.randint(0, len(good))
    # 150 of these are 300 units of UTF-16 and 600 bytes, and still not too long.
    return rng.choice((good[:at] + rng.choice(_FOREIGN) + good[at:], good + "\n", "😀" * 150))


def _bad_token(rng: random.Random) -> str:
    good = token(rng)
    return rng.choice(
        (
            rng.choice("0123456789_.+-") + good[:40],
            (good * 65)[:65],
            good[:60] + rng.choice((*_FOREIGN, "/", "@", "~", "*")),
            "é",
            "\u212a",
            "ſ",
            " " + good[:60],
        )
    )


def _bad_retry(rng: random.Random) -> str:
    number = (
        "",
        ":0",
        ":01",
        ":1000000000",
        ":1x",
        ":x",
        ":1:2",
        ":+1",
        ":-1",
        ":1.0",
        ":1e3",
        ":99999999999",
    )
    return _cased("retry", rng) + rng.choice(number)


def _bad_destination(rng: random.Random) -> str:
    return rng.choice(("", token(rng), "11", "é", "team;11", "\n"))


def _bad_digest(rng: random.Random) -> str:
    good = digest(rng)
    return rng.choice(
        (
            "",
            good[:63],
            good + "0",
            good + "\n",
            "g" + good[1:],
            " " + good[1:],
            "０" + good[1:],
            "0x" + good[2:],
        )
    )


def _with(head: Maker, tail: Maker) -> Maker:
    return lambda rng: f"{head(rng)}:{tail(rng)}"


def _cased(text: str, rng: random.Random) -> str:
    return "".join(rng.choice((sign, sign.upper())) for sign in text)


def _other_token(rng: random.Random) -> str:
    """A token that is not `retry` in any spelling, and short enough to be followed."""
    return "x" + token(rng)[:40]


_IDENTIFIER_FAULTS: dict[str, Maker] = {
    "empty": _empty,
    "too_long": _too_long,
    "bad_character": _bad_character,
}
_QUALIFIER_FAULTS: dict[str, Maker] = {
    "empty (after the colon)": _with(_other_token, _empty),
    "too_long": _with(_other_token, _too_long),
    "bad_character": _with(_other_token, _bad_character),
}
_TOKEN_FAULTS: dict[str, Maker] = {"empty": _empty, "bad_token": _bad_token}

# Each fact's faults of form, in the order in which they are found; the label begins with the code.
FAULTS: dict[str, dict[str, Maker]] = {
    "tenant": _IDENTIFIER_FAULTS,
    "delivery": _TOKEN_FAULTS,
    "wake": {**_TOKEN_FAULTS, **_QUALIFIER_FAULTS, "bad_retry": _bad_retry},
    "agent": _IDENTIFIER_FAULTS,
    "destination": {
        "bad_destination": _bad_destination,
        "empty": _with(_empty, identifier),
        "bad_token": _with(_bad_token, identifier),
        **_QUALIFIER_FAULTS,
    },
    "task": _IDENTIFIER_FAULTS,
    "digest": {"bad_digest": _bad_digest},
    "due": {**dues.FAULTS},
}
