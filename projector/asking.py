"""The door of what is done again: ranges and bounds, read before a transaction begins."""

from __future__ import annotations

from typing import TypedDict

from ledger.errors import BadInput
from ledger.facts import read_identifier, shown
from projector.door import read_moment
from projector.moves.ranges import Range

# Runs of one request that may stand side by side.
AT_ONCE_MOST = 1_000


class Bounds(TypedDict, total=False):
    """How a range is run: so many at once, and with `again` also slots that have run."""

    at_once: int
    again: bool


def read_range(
    task: object, request: object, span: tuple[object, object], *, at_once: object = 1, again: object = False
) -> Range:
    """A range of slots as it is asked for; `span` are `since` and `until`, the latter None for now.

    Raises `FactRefused` and `BadInput`, naming what cannot be taken.
    """
    since, until = span
    return Range(
        read_identifier(task, "task"),
        read_identifier(request, "request"),
        read_moment(since, "since"),
        None if until is None else read_moment(until, "until"),
        read_at_once(at_once),
        again is True,
    )


def read_at_once(at_once: object) -> int:
    """How many runs may stand side by side. Raises `BadInput`."""
    if isinstance(at_once, int) and not isinstance(at_once, bool) and 1 <= at_once <= AT_ONCE_MOST:
        return at_once
    raise BadInput(f"at once: {shown(at_once)} is no number of runs; write 1 to {AT_ONCE_MOST}")
