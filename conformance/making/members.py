"""The members of a task, each with right and wrong values and the smallest task that it may stand in."""

from __future__ import annotations

import copy
from typing import NamedTuple

from conformance.making import dues, facts
from conformance.making import samples as s


class Member(NamedTuple):
    """Values for the member at `path`, as put into `within`. `more` makes further right ones at random."""

    path: str
    right: tuple[object, ...]
    wrong: tuple[object, ...]
    within: dict[str, object]
    more: s.Maker | None = None


TASK_MEMBERS = (
    Member("name", *s.text(200), s.EVERY),
    Member("description", *s.text(10_000), s.EVERY),
    Member("agent", ("default", *s.IDENTIFIERS), s.NOT_IDENTIFIERS, s.EVERY, facts.identifier),
    Member("destination", ("local:default", *s.DESTINATIONS), s.NOT_DESTINATIONS, s.EVERY, facts.destination),
    Member("delivery", ("python", *s.DELIVERIES), s.NOT_DELIVERIES, s.EVERY),
    Member("delivery", ("http", "HTTP", "Http"), (), {**s.EVERY, "entrypoint": "http://a"}),
    Member("entrypoint", *s.text(2_000, least=1), s.EVERY),
    Member("entrypoint", s.ADDRESSES, s.NOT_ADDRESSES, s.HTTP),
    Member("arguments", s.ARGUMENTS, s.NOT_ARGUMENTS, s.COMMAND),
    Member("arguments", ([],), (["a"], [""]), s.EVERY),
    Member("payload", s.OPAQUE, (), s.EVERY),
    Member("overlap", *s.choice("skip", "queue", "allow", "replace"), s.EVERY),
    Member(
        "misfire",
        ({}, {"catch_up": None}, {"limit": 100, "catch_up": "latest"}),
        (*s.NOT_OBJECT, {"x": 1}),
        s.EVERY,
    ),
    Member("misfire.catch_up", *s.choice("latest", "all", "none"), s.EVERY),
    Member("misfire.grace_s", *s.whole(0, 31_622_400, 60), s.EVERY, s.number_in(0, 31_622_400)),
    Member("misfire.limit", *s.whole(1, 1_000, 100), s.EVERY, s.number_in(1, 1_000)),
    Member("timeout_s", *s.whole(1, 604_800, 900), s.EVERY, s.number_in(1, 604_800)),
    Member(
        "retry",
        ({}, {"on": None}, {"attempts": 0, "factor": 2, "max_s": 3600}),
        (*s.NOT_OBJECT, {"x": 1}),
        s.EVERY,
    ),
    Member("retry.attempts", *s.whole(0, 100, 0), s.EVERY, s.number_in(0, 100)),
    Member("retry.on", s.OUTCOMES, s.NOT_OUTCOMES, s.EVERY),
    Member("retry.backoff_s", *s.whole(0, 86_400, 10), s.EVERY, s.number_in(0, 86_400)),
    Member("retry.factor", *s.whole(1, 10, 2), s.EVERY, s.number_in(1, 10)),
    Member("retry.max_s", *s.whole(1, 604_800, 3_600), s.EVERY, s.number_in(1, 604_800)),
    Member("failure_backoff", *s.choice("double", "none"), s.EVERY),
    Member("min_interval_s", *s.whole(1, 31_622_400), s.EVERY, s.number_in(1, 31_622_400)),
    Member("max_interval_s", *s.whole(1, 31_622_400), s.EVERY, s.number_in(1, 31_622_400)),
    Member("max_interval_s", (60, 61), (59, 1), {**s.EVERY, "min_interval_s": 60}),
    Member("paused_until", s.TIMES, s.NOT_TIMES, s.EVERY, dues.valid),
    Member("pause_note", *s.text(1_000), s.EVERY),
    Member("resume", *s.choice("next_slot", "at_end"), s.EVERY),
    Member("labels", s.LABELS, s.NOT_LABELS, s.EVERY),
    Member("display", s.OPAQUE, (), s.EVERY),
)


def put(task: dict[str, object], path: str, value: object) -> dict[str, object]:
    """A copy of the task with `value` at `path`."""
    copied = copy.deepcopy(task)
    place(copied, path, value)
    return copied


def place(task: dict[str, object], path: str, value: object) -> None:
    """Put a copy of `value` at `path`, in place; inner objects are made where they are not there."""
    holder: object = task
    value = copy.deepcopy(value)
    *above, last = path.split(".")
    for name in above:
        if isinstance(holder, dict):
            holder = holder.setdefault(name, {})
        elif isinstance(holder, list):
            holder = holder[int(name)]
    if isinstance(holder, dict):
        holder[last] = value
    elif isinstance(holder, list):
        holder[int(last)] = value
