"""Runs that give way: where the policy is `replace`, the slot that starts cancels what runs of its task."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from ledger.moves.close import Closing, close
from ledger.moves.step import Move, ask
from ledger.statements.occurrences import LOCK_RUNS, DueRow
from ledger.statements.overlap import READ_RUNNING
from projector.moves.decide import Replacement


def give_way(
    replacements: Sequence[Replacement], waiting: Sequence[tuple[DueRow, UUID]], by: str
) -> Move[list[UUID]]:
    """Cancel what runs of the tasks, in the transaction that starts what replaces it; the keys of the runs.

    Whoever finishes one of them at this moment was first, or finds it closed (I7). None is retried, and what
    waited for them waits for the run that begins now. `waiting` are the rows that the same claim lets wait.
    """
    tenants, tasks = [one.tenant for one in replacements], [one.task for one in replacements]
    found = yield from ask(READ_RUNNING(tenants=tenants, tasks=tasks))
    closings = [_closing(replacements[run.n - 1], run.key, by) for run in found]
    if waiting:
        # What others wait for is held with them, in one order: a finish of several takes them in that order.
        held = [*((c.key, c.tenant) for c in closings), *((run, row.tenant) for row, run in waiting)]
        yield from ask(LOCK_RUNS(keys=[key for key, _ in held], tenants=[tenant for _, tenant in held]))
    closed = yield from close(closings)
    return [closing.key for closing in closed.counted]


def _closing(one: Replacement, run: UUID, by: str) -> Closing:
    return Closing(one.tenant, one.task, run, "cancelled", "cancel", by=by, reason=f"replaced by {one.key}")
