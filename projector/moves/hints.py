"""Hints as the Governor takes them: read with the locks of their tasks held, by task."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from ledger.moves.step import Call
from ledger.statements.hints import DROP_HINTS, READ_HINTS, DroppedHint, TaskHint
from projector.moves.trail import HINT_KINDS, Hint, HintKind

# The hints of tasks, by (tenant, task); a task without any is not in it.
Hints: TypeAlias = Mapping[tuple[str, str], Sequence[Hint]]


def unread_hints(names: Sequence[tuple[str, str]]) -> Call[TaskHint]:
    """The statement for the hints of (tenant, task) pairs, for a pipeline; its rows go to `hints_of`."""
    return READ_HINTS(tenants=[tenant for tenant, _ in names], tasks=[task for _, task in names])


def hints_of(rows: Sequence[TaskHint]) -> Hints:
    """Hints by their tasks, as they were read."""
    found: dict[tuple[str, str], list[Hint]] = {}
    for row in rows:
        hint = Hint(row.kind, row.given, row.expires, row.at, row.every)
        found.setdefault((row.tenant, row.task), []).append(hint)
    return found


def drop_hints(
    tenant: str, tasks: Sequence[str], kinds: Collection[HintKind] = HINT_KINDS
) -> Call[DroppedHint]:
    """The statement that takes hints back, by kinds."""
    return DROP_HINTS(tenant=tenant, tasks=list(tasks), kinds=list(kinds))
