"""What lists may be asked for: rows and tasks that a person has something to do with."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from ledger.errors import BadInput
from ledger.facts import instant_text, shown
from ledger.states import CLOSED

# Of rows: what runs or is closed. Of tasks: how their switch and their series stand.
DISPOSED = CLOSED | {"running"}
TASK_STATES = frozenset({"enabled", "disabled", "running", "ended"})
# Labels that one question may name, as many as a task may have.
LABELS_MOST = 64


@dataclass(frozen=True, slots=True)
class Sought:
    """What a list is narrowed to; None does not narrow it.

    `states` are joined by or, the rest by and; a task has each of the `labels`, maybe more. Slots lie in
    [`since`, `until`): of rows their own, of tasks the next one.
    """

    states: Collection[str] | None = None
    agent: str | None = None
    labels: Mapping[str, str] | None = None
    since: datetime | None = None
    until: datetime | None = None

    def params(self) -> dict[str, object]:
        """The parameters of a list's statement."""
        return {
            "states": None if self.states is None else sorted(self.states),
            "labels": None if self.labels is None else json.dumps(dict(self.labels)),
            "since": self.since,
            "until": self.until,
        }

    def said(self) -> dict[str, object]:
        """What it is narrowed to as JSON, without what it is not."""
        given: dict[str, object] = {
            "states": None if self.states is None else sorted(self.states),
            "agent": self.agent,
            "labels": None if self.labels is None else dict(sorted(self.labels.items())),
            "since": None if self.since is None else instant_text(self.since),
            "until": None if self.until is None else instant_text(self.until),
        }
        return {name: value for name, value in given.items() if value is not None}


def read_states(states: object, known: Collection[str]) -> Collection[str] | None:
    """The states that a list may be asked for: one, several, or None for all. Raises `BadInput`."""
    if states is None:
        return None
    wanted = [states] if isinstance(states, str) else states
    if not isinstance(wanted, Collection):
        raise BadInput(f"state: {shown(states)} is none of {', '.join(sorted(known))}")
    for state in wanted:
        if state not in known:
            raise BadInput(f"state: {shown(state)} is none of {', '.join(sorted(known))}")
    return [str(state) for state in wanted]


def read_labels(labels: object) -> Mapping[str, str] | None:
    """Labels that a task must have, names and texts. Raises `BadInput`."""
    if labels is None:
        return None
    if (
        isinstance(labels, Mapping)
        and 0 < len(labels) <= LABELS_MOST
        and all(_text(name) and _text(value) for name, value in labels.items())
    ):
        return labels
    raise BadInput(
        f"labels: {shown(labels)} is no object of 1 to {LABELS_MOST} texts, such as {{'team': 'mail'}}"
    )


def check_span(since: datetime | None, until: datetime | None) -> None:
    """Raises `BadInput` for a span that ends before it begins, or holds nothing."""
    if since is not None and until is not None and since >= until:
        raise BadInput(
            f"until: {instant_text(until)} is not later than since, {instant_text(since)}; the span is empty"
        )


def _text(value: object) -> bool:
    return isinstance(value, str) and not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value)
