"""What made a repair needed, most likely: a repair is a defect somewhere, and its row says where to look.

The ledger cannot know who did not do what. It knows who should have: the act that opens a row, the start that
projects its successor, whoever closes a run. That one is named, with the time, beside the repaired row.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from ledger.facts import instant_text
from ledger.moves.step import Move, ask
from ledger.statements.occurrences import ADD_EVIDENCE
from ledger.statements.sweep import READ_HOLES, Hole

# What the evidence beside a repaired row is called.
REPAIRED = "repaired"
# How many tasks of one cause a verdict names, and how many causes.
_NAMED = 5


class Mark(NamedTuple):
    """One repair: its kind, the task, and the row it made, or else the row it changed."""

    kind: str
    task: str
    key: UUID


def explain(tenant: str, marks: Sequence[Mark], by: str) -> Move[str]:
    """Write beside each repaired row what made its repair needed, most likely; the same in one sentence."""
    read = READ_HOLES(tenant=tenant, tasks=[mark.task for mark in marks], keys=[mark.key for mark in marks])
    holes = yield from ask(read)
    causes = [likely(mark.kind, hole) for mark, hole in zip(marks, holes, strict=True)]
    yield from ask(
        ADD_EVIDENCE(
            by=by,
            keys=[mark.key for mark in marks],
            tenants=[tenant] * len(marks),
            whats=[REPAIRED] * len(marks),
            details=[f"{mark.kind}: {cause}" for mark, cause in zip(marks, causes, strict=True)],
        )
    )
    return _summed(marks, causes)


def likely(kind: str, hole: Hole) -> str:
    """Who most likely should have done what, for one repair."""
    made = f"made by {hole.made_by} at {_time(hole.created)}"
    gone = "the task is gone; " if hole.in_force is None else ""
    says = {
        "missing": f"{_opener(hole)}; its row was not opened, or was taken away since",
        "dead digest": f"{_act(hole)}; the open row of the older text was left, or came back",
        "stray": f"{gone}{_act(hole)}; a row {made} was left, or came back",
        "misnamed": f"{_opener(hole)}; whoever made its row derives keys otherwise, or it was changed since",
        "past end": f"{_opener(hole)}; whoever made its row reads the end of the series otherwise",
        "overdue": f"its deadline was {_time(hole.deadline)}, and no dispatcher closed it: does one run?",
        "lost": "its process is gone, and no dispatcher closed it: does one run?",
        "retry": f"{_before(hole)}; whoever closed the last attempt minted none, or it was taken away since",
        "zone rules": f"projected under tzdata {hole.tzdata}, and left behind when the rules were moved",
    }
    return says.get(kind, f"{made}; its time has come, and no dispatcher took it up: does one run?")


def _opener(hole: Hole) -> str:
    """Whose turn it was to open the row: the newest act's, or that of the start or exit of the row before."""
    acted_last = hole.act_at is not None and (hole.before_at is None or hole.act_at > hole.before_at)
    return _act(hole) if acted_last or hole.before is None else _before(hole)


def _act(hole: Hole) -> str:
    if hole.act is None:
        return "the task has no act"
    return f"act {hole.act} ({hole.what} by {hole.act_by} at {_time(hole.act_at)})"


def _before(hole: Hole) -> str:
    by = "" if hole.before_by is None else f" by {hole.before_by}"
    return f"row {hole.before} ({hole.before_state}{by}, {_time(hole.before_at)})"


def _time(instant: datetime | None) -> str:
    return "an unknown time" if instant is None else instant_text(instant)


def _summed(marks: Sequence[Mark], causes: Sequence[str]) -> str:
    """Kinds with the first few tasks and the cause of the first of them."""
    by_kind: dict[str, list[tuple[str, str]]] = {}
    for mark, cause in zip(marks, causes, strict=True):
        by_kind.setdefault(mark.kind, []).append((mark.task, cause))
    said = []
    for kind, found in sorted(by_kind.items()):
        names = ", ".join(repr(task) for task, _ in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        said.append(f"{kind}: task {names}{more}: {found[0][1]}")
    return "; ".join(said)
