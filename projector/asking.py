"""The door of what is done again: ranges and bounds, read before a transaction begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict
from uuid import UUID

from ledger.errors import BadInput
from ledger.facts import read_identifier, shown
from projector.door import read_key, read_moment, read_name
from projector.moves.ranges import Range
from projector.moves.rerun import ROWS_MOST, Wish
from projector.sought import Narrowing, read_sought

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


def read_wish(request: object, keys: object, task: object, at_once: object, sought: Narrowing) -> Wish:
    """What is to run once more: rows by their keys, or by what they are; not both, and not simply all.

    Raises `FactRefused` and `BadInput`, naming what cannot be taken.
    """
    name = read_identifier(request, "request")
    named = [] if keys is None else [keys] if isinstance(keys, str | UUID) else keys
    if not isinstance(named, Iterable):
        raise BadInput(f"keys: {shown(keys)} are no keys; give one, or several")
    by_key = list(dict.fromkeys(read_key(key) for key in named))
    wanted = read_sought(sought)
    if by_key and (task is not None or wanted.said()):
        raise BadInput("rerun: say which rows by their keys, or by what they are, not by both")
    if not by_key and task is None and not wanted.said():
        raise BadInput("rerun: say which rows: keys, a task, states, an agent, labels or a time")
    if len(by_key) > ROWS_MOST:
        raise BadInput(f"rerun: {len(by_key)} keys are more than the {ROWS_MOST} of one rerun; ask in parts")
    if wanted.states is not None and "running" in wanted.states:
        raise BadInput("state: what is running cannot run once more; cancel it first")
    return Wish(name, by_key, read_name(task), wanted, read_at_once(at_once))


def read_at_once(at_once: object) -> int:
    """How many runs may stand side by side. Raises `BadInput`."""
    if isinstance(at_once, int) and not isinstance(at_once, bool) and 1 <= at_once <= AT_ONCE_MOST:
        return at_once
    raise BadInput(f"at once: {shown(at_once)} is no number of runs; write 1 to {AT_ONCE_MOST}")
