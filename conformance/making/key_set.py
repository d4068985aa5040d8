"""Requests for keys: each fact at its edges, each of its faults, and each pair of faults of two facts."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from conformance.making import facts, objects, wire
from conformance.making.sets import Candidate, chance, of


def keys() -> Iterator[Candidate]:
    rng = chance("key")
    for number in range(60):
        yield of("key", f"valid facts {number + 1}", facts.valid(rng), rng if number % 2 else None)
    yield from _edges(rng)
    for value in objects.NOT_OBJECTS:
        yield of("key", f"facts that are {wire.plain(value)}", value)
    for name, label, make in _faults():
        for _ in range(20 if name in ("destination", "digest", "due") else 2):
            yield of("key", f"{name}: {label}", _spoilt(rng, {name: make(rng)}))
    for (first, label, make), (other, label2, make2) in itertools.combinations(_faults(), 2):
        if first != other:
            both = {first: make(rng), other: make2(rng)}
            yield of("key", f"{first}: {label}, and {other}: {label2}", _spoilt(rng, both))
    for name in ("wake", "destination"):
        for head in ("", "1", "é", "x" * 65, "RETRY", "a"):
            for tail in ("", ":", " ", "x" * 201, " " * 201, "0", "\n", "é:x"):
                yield of("key", f"both parts of {name}", {**facts.valid(rng), name: f"{head}:{tail}"})
    for names in (
        ("a", "b"),
        ("😀", "\ue000"),
        ("é", "z"),
        ("", "a"),
        ("A", "a"),
        ("constructor", "__proto__"),
    ):
        for order in (names, names[::-1]):
            yield of("key", f"two unknown names {order!a}", {**facts.valid(rng), **dict.fromkeys(order, "x")})


_GONE = "missing"


def _faults() -> list[tuple[str, str, facts.Maker]]:
    """Each fault of each fact, and an unknown name as if it were one more."""
    found: list[tuple[str, str, facts.Maker]] = []
    for name, faults in facts.FAULTS.items():
        found += [(name, _GONE, lambda _: _GONE), (name, "not_a_string", facts.not_a_string)]
        found += [(name, label, make) for label, make in faults.items()]
    return [*found, ("due ", "unknown", lambda rng: rng.choice(("x", "", None, 7)))]


def _spoilt(rng: random.Random, faults: dict[str, object]) -> dict[str, object]:
    made = {**facts.valid(rng), **faults}
    return {name: value for name, value in made.items() if value != _GONE}


def _edges(rng: random.Random) -> Iterator[Candidate]:
    """Facts at the edges of their forms, each in facts that are otherwise fine."""
    edges = {
        "tenant": ("x", "y" * 200, "!", "~", "[]", "A", "a" * 199 + "~", "</&>", "'"),
        "delivery": ("a", "Z", "a" * 64, "A" * 64, "a0_.+-", "HTTP"),
        "wake": (
            "a:" + "x" * 200,
            "A" * 64 + ":x",
            "x:::",
            "end",
            "retry:1",
            "RETRY:999999999",
            "Retry.:0",
            "retry2",
        ),
        "agent": ("agent:7", "AGENT:7", ":", "::", "retry"),
        "destination": ("a:b", "TEAM:011", "team:11", "Team:Eleven", "a::b", "z" * 64 + ":" + "~" * 200),
        "task": ("0", "-", "null", "true", "weekly/report"),
        "digest": ("0" * 64, "F" * 64, "aB" * 32),
        "due": ("1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "1970-01-01T00:00:00.000999Z"),
    }
    for name, values in edges.items():
        for value in values:
            yield of("key", f"{name} at an edge", {**facts.valid(rng), name: value})
    # BLAKE3 takes 1,024 bytes a chunk: preimages just below, at and above that, and the longest of all.
    longest = {
        "tenant": "t" * 200,
        "delivery": "D" * 64,
        "wake": "W" * 64 + ":" + "q" * 200,
        "agent": "a" * 200,
    }
    longest |= {"destination": "X" * 64 + ":" + "i" * 200, "task": "k" * 200, "digest": "ab" * 32}
    longest |= {"due": "2026-11-30T09:00:00Z"}
    around = len('["occurrence/1"]') + 8 * len(',""') + 27 - len(longest["due"])
    total = sum(map(len, longest.values())) + around
    for size in (total, *range(1020, 1029)):
        less = total - size
        cut = {**longest, "tenant": longest["tenant"][: 200 - min(less, 199)]}
        cut["task"] = longest["task"][: 200 - max(0, less - 199)]
        yield of("key", f"a preimage of {size} bytes", cut)
    millis = ("00.001Z", "00.0019Z", "00.999999Z", "59.0005Z", "00.000999Z", "00.001000Z")
    for ending in millis:
        made = {**facts.valid(rng), "due": f"2026-11-30T09:00:{ending}"}
        yield of("key", "milliseconds are rounded down", made)
