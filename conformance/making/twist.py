"""Texts twisted by a character or two: what a grammar takes, and its nearest neighbours that it may not."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

_SIGNS = "0123456789*,-/?#LWHJANSUMO:.TZ+=; \t\n\r@_~aez\x00\x0b\x7f\u00a0é٣\u212a\u2028\ufeff😀"


def text(original: str, rng: random.Random) -> str:
    """The text with one or two characters put in, taken out, changed, doubled or swapped."""
    signs = list(original)
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randint(0, len(signs))
        turn = rng.randrange(5)
        if turn == 0 or not signs:
            signs.insert(at, rng.choice(_SIGNS))
            continue
        at = min(at, len(signs) - 1)
        if turn == 1:
            del signs[at]
        elif turn == 2:
            signs[at] = rng.choice(_SIGNS)
        elif turn == 3:
            signs.insert(at, signs[at])
        else:
            other = rng.randrange(len(signs))
            signs[at], signs[other] = signs[other], signs[at]
    return "".join(signs)


def leaf(value: object, rng: random.Random) -> None:
    """Twist one text somewhere in a value, in place; a value without texts stays as it is."""
    places = list(_places(value))
    if places:
        put, original = rng.choice(places)
        put(text(original, rng))


def _places(value: object) -> Iterator[tuple[Callable[[str], None], str]]:
    """Each text within a value, with what puts another in its place."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from (
                [(partial(value.__setitem__, name), member)] if isinstance(member, str) else _places(member)
            )
    elif isinstance(value, list):
        for at, element in enumerate(value):
            yield from (
                [(partial(value.__setitem__, at), element)] if isinstance(element, str) else _places(element)
            )
