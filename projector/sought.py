"""The door of lists: what callers narrow them to, read before a transaction begins."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TypedDict

from ledger.facts import read_identifier
from ledger.moves.finding import DISPOSED, TASK_STATES, Sought, check_span, read_labels, read_states
from projector.door import read_moment


class Narrowing(TypedDict, total=False):
    """What a list is narrowed to, by name; None is as good as left out.

    `states` are joined by or, the rest by and. `labels` are those that a task must have, `since` (included)
    and `until` (not) bound the slots: aware datetimes, or text with an offset.
    """

    states: Collection[str] | str | None
    agent: str | None
    labels: Mapping[str, str] | None
    since: datetime | str | None
    until: datetime | str | None


def read_sought(given: Narrowing) -> Sought:
    """What rows a question is after. Raises `BadInput` and `FactRefused`, naming what cannot be taken."""
    return _read(given, DISPOSED)


def read_sought_tasks(given: Narrowing) -> Sought:
    """What tasks a question is after: enabled, disabled, running or ended; as `read_sought`."""
    return _read(given, TASK_STATES)


def _read(given: Narrowing, known: Collection[str]) -> Sought:
    agent, since, until = given.get("agent"), given.get("since"), given.get("until")
    low = None if since is None else read_moment(since, "since")
    high = None if until is None else read_moment(until, "until")
    check_span(low, high)
    return Sought(
        read_states(given.get("states"), known),
        None if agent is None else read_identifier(agent, "agent"),
        read_labels(given.get("labels")),
        low,
        high,
    )
