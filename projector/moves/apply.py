"""Bringing a tenant's tasks to what a file states: the difference first, then one transaction.

What the file does not name stays as it is, unless the caller asks to disable it. The switch moves only where
the file states `enabled`, and by an act of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ledger.authored.fold import Folded
from ledger.errors import Busy
from ledger.moves.step import Move, ask
from ledger.statements.acts import LOCK_TASKS
from ledger.statements.reads import READ_SWITCHES, SwitchRow
from projector.moves.asked import asked
from projector.moves.change import Acted, Wanted, What


@dataclass(frozen=True, slots=True)
class Stated:
    """What a file says of one task; `enabled` is None where it says nothing of the switch."""

    task: str
    folded: Folded
    enabled: bool | None = None
    allow_duplicate: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """What applying a file would do to one task.

    `members` has a line for each member that changes: its path, the value now, the value then (None: the
    default). `switch` is the switch as it will be, where it moves.
    """

    task: str
    what: Literal["new", "changed", "same", "absent"]
    members: Sequence[tuple[str, object, object]] = ()
    switch: bool | None = None

    @property
    def idle(self) -> bool:
        """Whether nothing would be done."""
        return self.what in ("same", "absent") and self.switch is None


@dataclass(frozen=True, slots=True)
class Plan:
    """The differences, and how the tasks stood when they were found."""

    differences: Sequence[Difference]
    found: Mapping[str, tuple[bytes, bool]]


def compare(tenant: str, stated: Sequence[Stated], *, disable_absent: bool) -> Move[Plan]:
    """What applying would do. Nothing is locked: `apply` refuses if a task stands otherwise by then."""
    standing = {row.task: row for row in (yield from ask(READ_SWITCHES(tenant=tenant)))}
    differences = [_difference(one, standing.get(one.task)) for one in stated]
    if disable_absent:
        named = {one.task for one in stated}
        differences += [
            Difference(row.task, "absent", switch=False)
            for row in standing.values()
            if row.enabled and row.task not in named
        ]
    return Plan(differences, {row.task: (row.digest, row.enabled) for row in standing.values()})


def apply(tenant: str, stated: Sequence[Stated], plan: Plan, by: str, note: str = "") -> Move[list[Acted]]:
    """Carry out a plan in one transaction, all or nothing; an answer for each act, and for each idle task.

    What is switched off goes first, so that a task may take the place of its twin. Raises `Busy` where a task
    stands otherwise than the plan saw it, and what acts raise.
    """
    names = sorted({d.task for d in plan.differences})
    locked = yield from ask(LOCK_TASKS(tenants=[tenant] * len(names), tasks=names))
    now = {task.task: (task.digest, task.enabled) for task in locked}
    for name in names:
        if now.get(name) != plan.found.get(name):
            raise Busy(
                "applying tasks: this one was changed since the difference was shown; nothing was changed, "
                "look again",
                tenant=tenant,
                task=name,
            )
    switches = {d.task: d.switch for d in plan.differences if d.switch is not None and d.what != "new"}
    duplicates = {one.task: one.allow_duplicate for one in stated}
    acts = yield from asked(tenant, _switch(switches, "disable", duplicates), by, note)
    defines = [
        Wanted(one.task, "define", one.folded, one.enabled is not False, one.allow_duplicate)
        for one in stated
    ]
    defined = yield from asked(tenant, defines, by, note)
    enabled = yield from asked(tenant, _switch(switches, "enable", duplicates), by, note)
    switched = {act.task for act in (*acts, *enabled)}
    return [*acts, *(a for a in defined if a.did != "unchanged" or a.task not in switched), *enabled]


def _switch(switches: Mapping[str, bool], what: What, duplicates: Mapping[str, bool]) -> list[Wanted]:
    on = what == "enable"
    return [
        Wanted(task, what, allow_duplicate=duplicates.get(task, False))
        for task, enabled in switches.items()
        if enabled == on
    ]


def _difference(stated: Stated, row: SwitchRow | None) -> Difference:
    if row is None:
        return Difference(stated.task, "new", switch=stated.enabled is not False)
    switch = stated.enabled if stated.enabled not in (None, row.enabled) else None
    if row.digest == stated.folded.digest:
        return Difference(stated.task, "same", switch=switch)
    members = list(_members(json.loads(row.canonical), stated.folded.authored, ""))
    return Difference(stated.task, "changed", members, switch)


def _members(old: object, new: object, path: str) -> Iterator[tuple[str, object, object]]:
    """The members in which two authored objects differ, by path; an array or a payload counts as one."""
    if isinstance(old, dict) and isinstance(new, dict) and path not in ("payload", "display"):
        for name in sorted(old.keys() | new.keys()):
            yield from _members(old.get(name), new.get(name), f"{path}.{name}" if path else name)
    elif old != new:
        yield path, old, new
