"""The members of a task, version 1, frozen with the digest's version.

A member added later needs a default that means what tasks did before, or every digest changes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ledger.authored.forms import anything, choice, destination, identifier, number, seconds, text, timestamp
from ledger.authored.members import Member, Table, inner, refuse
from ledger.authored.schedule_table import MAX_INTERVAL_S, fold_schedule
from ledger.facts import DEFAULT_AGENT, DEFAULT_DELIVERY, DEFAULT_DESTINATION, shown

_URL = re.compile(r"https?://[\x21-\x7e]+")
_OUTCOMES = ("failed", "lost", "timed_out")
_LABELS_MOST = 64
_entrypoint_text = text(2_000, 1)
_interval = seconds(1, MAX_INTERVAL_S)


def _fold_entrypoint(value: object, path: str, above: Mapping[str, object]) -> object:
    """What is to be run; for `http` an address."""
    folded = _entrypoint_text(value, path, above)
    if above.get("delivery") == "http" and isinstance(folded, str) and not _URL.fullmatch(folded):
        refuse(path, f"{shown(folded)} must start with http:// or https://, and have no spaces, for http")
    return folded


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _fold_arguments(value: object, path: str, above: Mapping[str, object]) -> object:
    """A program's arguments; no other delivery has any."""
    if not isinstance(value, list | tuple) or not all(map(_is_text, value)):
        refuse(path, f"must be an array of text without U+0000, not {shown(value)} of anything else")
    delivery = above.get("delivery", DEFAULT_DELIVERY)
    if value and delivery != "command":
        refuse(path, f"goes with the delivery command, not with {delivery}; use payload")
    return list(value)


def _fold_outcomes(value: object, path: str, _above: Mapping[str, object]) -> object:
    """The outcomes after which a run is tried again, sorted, each once."""
    if not isinstance(value, list | tuple) or not all(word in _OUTCOMES for word in value):
        refuse(path, f"must be an array out of {', '.join(_OUTCOMES)}, not {shown(value)} of anything else")
    return sorted(set(value))


def _fold_max_interval(value: object, path: str, above: Mapping[str, object]) -> object:
    folded = _interval(value, path, above)
    least = above.get("min_interval_s")
    if isinstance(least, int) and isinstance(folded, int) and least > folded:
        refuse(path, f"{folded} is less than min_interval_s, {least}")
    return folded


def _fold_labels(value: object, path: str, _above: Mapping[str, object]) -> object:
    """An object of text to text; it fails whole."""
    if not isinstance(value, dict):
        refuse(path, f"must be an object of text to text, not {shown(value)}")
    if len(value) > _LABELS_MOST:
        refuse(path, f"has {len(value)} members; the most is {_LABELS_MOST}")
    for name, label in value.items():
        if not _is_text(name) or not _is_text(label):
            refuse(path, f"{shown(name)} must be text without U+0000, name and value, not {shown(label)}")
    return value


MISFIRE = Table(
    Member("catch_up", choice("latest", "all", "none"), "latest"),
    Member("grace_s", seconds(0, MAX_INTERVAL_S)),
    Member("limit", number(1, 1_000), 100),
)

RETRY = Table(
    Member("attempts", number(0, 100), 0),
    Member("on", _fold_outcomes, ["failed", "timed_out"]),
    Member("backoff_s", seconds(0, 86_400), 10),
    Member("factor", number(1, 10), 2),
    Member("max_s", seconds(1, 604_800), 3_600),
)

TASK = Table(
    Member("name", text(200), ""),
    Member("description", text(10_000), ""),
    Member("agent", identifier, DEFAULT_AGENT),
    Member("destination", destination, DEFAULT_DESTINATION),
    Member("delivery", choice("python", "http", "celery", "command", "pull", small=True), DEFAULT_DELIVERY),
    Member(
        "entrypoint",
        _fold_entrypoint,
        missing="write what is to be run, such as the name of a registered handler",
    ),
    Member("arguments", _fold_arguments, []),
    Member("payload", anything),
    Member("schedule", fold_schedule, missing='write when it is to run, such as {"cron": "0 9 * * MON"}'),
    Member("overlap", choice("skip", "queue", "allow", "replace"), "skip"),
    Member("misfire", inner(MISFIRE), {}),
    Member("timeout_s", seconds(1, 604_800), 900),
    Member("retry", inner(RETRY), {}),
    Member("failure_backoff", choice("double", "none"), "double"),
    Member("min_interval_s", _interval),
    Member("max_interval_s", _fold_max_interval),
    Member("paused_until", timestamp),
    Member("pause_note", text(1_000), ""),
    Member("resume", choice("next_slot", "at_end"), "next_slot"),
    Member("labels", _fold_labels, {}),
    Member("display", anything),
    beside={
        "enabled": "is the task's switch and no part of what it says; hand it over beside the task",
        "tenant": "names whose the task is and is no part of it; hand it over beside the task",
        "task": "names the task and is no part of it; hand it over beside the task",
    },
)
