"""What the sets of requests for the vectors share, and the set of lines that are no requests.

A request comes with what it is about. Where chance is used it starts from a fixed seed, so a set is the same
each time.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from conformance.making import hostile, wire
from conformance.making.hostile import Pieces

_SEED = "vectors 1"
SINCE = "2026-11-30T08:59:59.999999Z"


class Candidate(NamedTuple):
    """A request that may become a vector."""

    about: str
    pieces: Pieces


def chance(what: str) -> random.Random:
    return random.Random(f"{_SEED} {what}")  # noqa: S311 - the same each time is the point


def of(op: str, about: str, value: object, rng: random.Random | None = None) -> Candidate:
    """A request of `op`; with `rng` in an odd spelling."""
    part = {"key": "facts", "digest": "authored", "due": "text", "fold": "task"}[op]
    return asking(about, {"op": op, part: value}, rng)


def asking(about: str, asked: dict[str, object], rng: random.Random | None = None) -> Candidate:
    """A request by its members; with `rng` in an odd spelling."""
    return Candidate(about, [wire.plain(asked) if rng is None else wire.spelled(asked, rng)])


def slots(about: str, schedule: object, after: object = SINCE, count: object = 5) -> Candidate:
    """A request for slots: five after a microsecond before nine on Monday, the 30th of November 2026."""
    return asking(about, {"op": "slots", "schedule": schedule, "after": after, "count": count})


def requests() -> Iterator[Candidate]:
    for about, pieces in hostile.lines().items():
        yield Candidate(about, pieces)
