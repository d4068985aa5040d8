"""Requests for digests: numbers, texts, orders of names, depth, size, and each pair of faults."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from conformance.making import objects, wire
from conformance.making.hostile import Pieces
from conformance.making.sets import Candidate, chance, of
from conformance.making.wire import Pairs, Raw


def digests() -> Iterator[Candidate]:
    rng = chance("digest")
    for value in objects.NOT_OBJECTS:
        yield of("digest", f"an authored object that is {wire.plain(value)}", value)
    for number in (*objects.NUMBERS, *objects.BAD_NUMBERS):
        yield of("digest", f"the number {number[:40]}", {"a": Raw(number)})
        yield of("digest", f"the number {number[:40]} in an array", {"a": [{"b": Raw(number)}]})
    for names in _ORDERS:
        yield of("digest", "names sort by UTF-16 units", dict(zip(names, range(9), strict=False)))
    for text in _TEXTS:
        yield of("digest", "a text", {"t": text, text: 1})
        yield of("digest", "a text in an odd spelling", {"t": [text]}, rng)
    for kind in ("[", "{", "mixed"):
        for levels in (62, 63, 64, 65):
            yield of("digest", f"{levels + 1} levels of {kind}", {"a": objects.nested(levels, kind)})
    for nearly in _NEARLY_EMPTY:
        yield of("digest", "empty things and nulls within", nearly)
    yield from _not_authored()
    yield from _too_large()
    for label, make in objects.FAULTS.items():
        if label not in ("not_an_object", "too_large"):
            for _ in range(6):
                yield of("digest", label, make(rng))
    yield from _two_faults()
    for place in range(60):
        yield of("digest", f"valid {place + 1}", objects.valid(rng), rng)


_NEARLY_EMPTY: tuple[object, ...] = (
    {}, {"a": {}}, {"a": []}, {"a": [None]}, {"a": {"b": None}}, {"": ""}, {"a": [[], {}]},
)  # fmt: skip
_ORDERS = (
    ("b", "a"), ("é", "z", "e"), ("😀", "\ue000", "\uffff"), ("\ufb33", "😀", "\u20ac"), ("10", "9", "1"),
    ("A", "a", "B"), ("", "\0", " "), ("a", "aa", "a\0"), ("\U0010ffff", "\ud7ff", "\ue000"),
    ("__proto__", "constructor", "1"), ("a😀", "a\uffff"),
)  # fmt: skip
_TEXTS = (
    "", '"', "\\", "/", "\b\f\n\r\t", "\0\x01\x0b\x1f", "\x7f\x80\x9f", "\u2028\u2029", "<script>&", "Zoë",
    "Zoe\u0308", "\ufeff", "😀", "\U0010ffff", "\ufffe\uffff", "İıſ\u212a", "\ue000", "a" * 300,
    "\u0600\u202e",
)  # fmt: skip


def _not_authored() -> Iterator[Candidate]:
    for name in ("enabled", "tenant", "task", "Enabled", "TASK", "tasks", "agent"):
        for value in (True, None, "x"):
            yield of("digest", f"{name} at the top", {"name": "a", name: value})
        yield of("digest", f"{name} within", {"payload": {name: None}})


def _too_large() -> Iterator[Candidate]:
    """`{"a":"…"}` has eight bytes around its text; 65,536 are taken."""
    for sign, times in (
        ("x", 65528),
        ("x", 65529),
        ("é", 32765),
        ("\\n", 32765),
        ("\\u0001", 10922),
        ("€", 21843),
    ):
        pieces: Pieces = ['{"op":"digest","authored":{"a":"', {"repeat": sign, "times": times}, '"}}']
        yield Candidate(f"{times} times {sign!a}", pieces)
    shapes = (
        ("[0", ",0", 40_000, "]"),
        ("[[]", ",[]", 30_000, "]"),
        ('["a"', ',"a"', 20_000, "]"),
        ("[null", ",null", 15_000, "]"),
    )
    wholes = (
        ("[0.1", ",0.1", 17_000, "]"),
        ("[1e-7", ",1e-7", 14_000, "]"),
        ('{"', "n", 65_530, '":1}'),
        ('"', "\\ud83d\\ude00", 16_400, '"'),
    )
    texts = (
        ('"', '\\"', 33_000, '"'),
        ('"', "\\\\", 33_000, '"'),
        ('"', "\u2028", 22_000, '"'),
        ('{"a":"', "\\u0000", 11_000, '"}'),
    )
    for head, piece, times, tail in (*shapes, *wholes, *texts):
        big: Pieces = [
            f'{{"op":"digest","authored":{{"a":{head}',
            {"repeat": piece, "times": times},
            f"{tail}}}}}",
        ]
        yield Candidate(f"{times} times {piece!a}", big)
    spaces: Pieces = ['{"op":"digest","authored":{"a":', {"repeat": " ", "times": 100_000}, "1}}"]
    yield Candidate("100,000 bytes of which most are white space", spaces)
    zeros: Pieces = ['{"op":"digest","authored":{"a":1.', {"repeat": "0", "times": 100_000}, "}}"]
    yield Candidate("a number of 100,000 zeros, one byte when it is canonical", zeros)
    escapes: Pieces = ['{"op":"digest","authored":{"a":"', {"repeat": "\\u0041", "times": 30_000}, '"}}']
    yield Candidate("180,000 bytes of escapes, 30,000 letters", escapes)


def _two_faults() -> Iterator[Candidate]:
    """Each pair of the digest's faults in one object, in both orders of members."""
    members: dict[str, tuple[str, object]] = {
        "duplicate_member": ("d", Pairs((("x", 1), ("x", 1)))),
        "bad_text": ("t", "\ud800"),
        "bad_number": ("n", Raw("1e30")),
        "too_deep": ("p", objects.nested(65)),
        "not_authored": ("z", None),
        "too_large": ("l", "x" * 65536),
    }
    for first, other in itertools.permutations(members, 2):
        yield of("digest", f"{first} and {other}", Pairs((members[first], members[other])))
