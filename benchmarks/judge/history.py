"""What the judge is given: everything that was seen of one run, each thing from who saw it.

A history is kept as lines of JSON, a thing a line, so that it can be looked at, kept, and judged again.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import types
import typing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Act:
    """An act, as the ledger keeps it."""

    tenant: str
    task: str
    n: int
    at: datetime
    what: str
    digest: str
    enabled: bool
    resume_after: datetime | None


@dataclass(frozen=True, slots=True)
class Window:
    """An act's whole transaction as its author saw it, by the database's clock.

    `schedule` is what the author asked for, where the act says one. `acted` is false where the ledger
    answered that nothing was to be done.
    """

    tenant: str
    task: str
    what: str
    begin: datetime
    commit: datetime
    acted: bool
    schedule: dict[str, object] | None


@dataclass(frozen=True, slots=True)
class Text:
    """An authored object under its digest, as the ledger keeps it."""

    tenant: str
    digest: str
    canonical: str


@dataclass(frozen=True, slots=True)
class Row:
    """An occurrence, as the ledger's last state shows it."""

    key: str
    tenant: str
    task: str
    digest: str
    delivery: str
    wake: str
    agent: str
    destination: str
    due: datetime
    fingerprint: str
    lane: str
    state: str
    reason: str | None
    blocked_by: str | None
    after: datetime | None
    passed: list[dict[str, object]] | None
    made_by: str
    incarnation: int | None
    created: datetime
    started: datetime | None
    closed: datetime | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A line that a handler wrote, by the machine's clock: a run begins or ends in one life of a process."""

    what: str
    tenant: str
    task: str
    key: str
    slot: datetime
    at: datetime
    life: str


@dataclass(frozen=True, slots=True)
class Life:
    """One life of a dispatcher's process, and the incarnations that it was in the ledger.

    `how` it ended: `killed`, where the system said so (its exit status), or `stopped`.
    """

    name: str
    incarnations: list[int]
    began: datetime
    ended: datetime
    how: str


@dataclass(frozen=True, slots=True)
class Spot:
    """What one look in the middle of the run found wrong; an empty list is the good answer."""

    at: datetime
    wrong: list[str]


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass of the sweep, as the ledger keeps it."""

    id: int
    closed: datetime | None
    expected: int | None
    healthy: int | None
    repaired: int | None
    failed: int | None
    rows_made: int | None


@dataclass(frozen=True, slots=True)
class Frame:
    """The run itself: its seed, its load (slots are demanded until `horizon`), and the last look."""

    seed: int
    began: datetime
    horizon: datetime
    read_at: datetime


@dataclass(slots=True)
class History:
    """One run, whole."""

    frame: Frame
    acts: list[Act] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    lives: list[Life] = field(default_factory=list)
    spots: list[Spot] = field(default_factory=list)
    passes: list[Pass] = field(default_factory=list)


Thing = Act | Window | Text | Row | Mark | Life | Spot | Pass | Frame
_KINDS: dict[str, type[Thing]] = {
    kind.__name__: kind for kind in (Act, Window, Text, Row, Mark, Life, Spot, Pass, Frame)
}
_LISTS = {
    "Act": "acts",
    "Window": "windows",
    "Text": "texts",
    "Row": "rows",
    "Mark": "marks",
    "Life": "lives",
    "Spot": "spots",
    "Pass": "passes",
}


def line_of(thing: Thing) -> str:
    """A thing as one line of JSON."""
    values = {
        f.name: value.isoformat() if isinstance(value := getattr(thing, f.name), datetime) else value
        for f in dataclasses.fields(thing)
    }
    return json.dumps({"is": type(thing).__name__, **values}, separators=(",", ":"))


def thing_of(line: str) -> Thing:
    """The thing of a line; raises KeyError or TypeError for a line of another form."""
    values = json.loads(line)
    kind = _KINDS[values.pop("is")]
    hints = typing.get_type_hints(kind)
    for name, value in values.items():
        if isinstance(value, str) and _is_instant(hints[name]):
            values[name] = datetime.fromisoformat(value)
    return kind(**values)


def save(history: History, path: Path) -> None:
    """Write a history to a file, compressed."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for thing in things(history):
            file.write(line_of(thing) + "\n")


def load(path: Path) -> History:
    """Read a history back."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return gather(thing_of(line) for line in file)


def things(history: History) -> Iterator[Thing]:
    yield history.frame
    for name in _LISTS.values():
        yield from getattr(history, name)


def gather(found: Iterable[Thing]) -> History:
    """One history out of things in any order; raises ValueError without a frame."""
    frame: Frame | None = None
    lists: dict[str, list[Thing]] = {name: [] for name in _LISTS.values()}
    for thing in found:
        if isinstance(thing, Frame):
            frame = thing
        else:
            lists[_LISTS[type(thing).__name__]].append(thing)
    if frame is None:
        raise ValueError("the history has no frame: the run did not come to its end")
    history = History(frame)
    for name, members in lists.items():
        setattr(history, name, members)
    return history


def _is_instant(hint: object) -> bool:
    return hint is datetime or (isinstance(hint, types.UnionType) and datetime in typing.get_args(hint))
