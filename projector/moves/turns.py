"""Whose turn it is among what is done again: the start of a backfill's row opens the next, within its bound.

What a claim has decided to start is looked at once more here, where any of it belongs to a backfill; a claim
without such rows asks nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from ledger.moves.adopt import SERIES
from ledger.moves.retry import BACKFILL, backfill_of
from ledger.moves.step import Move, ask
from ledger.statements.again import ADVANCE_BACKFILLS, READ_TURNS
from ledger.statements.occurrences import DueRow
from projector.moves.backfill import next_row
from projector.moves.decide import Plan


def in_turn(plan: Plan, rows: Sequence[DueRow]) -> Move[None]:
    """Open what follows the rows of backfills that start; of those beyond their bound none starts: they wait.

    The tasks of all rows are held, and with them their backfills.
    """
    mine = [(n, run) for n, run in enumerate(plan.start) if run.lane != SERIES and backfill_of(run.wake)]
    if not mine:
        return
    turns = yield from ask(
        READ_TURNS(
            ns=[n for n, _ in mine],
            tenants=[run.subject.tenant for _, run in mine],
            tasks=[run.subject.task for _, run in mine],
            requests=[backfill_of(run.wake) for _, run in mine],
        )
    )
    waits: dict[int, UUID] = {}
    following = []
    for turn in turns:
        run = plan.start[turn.n]
        if turn.run is not None and turn.running >= turn.at_once:
            waits[turn.n] = turn.run
        elif turn.next is not None and run.lane.startswith(BACKFILL):
            plan.successors.append(next_row(run.subject, run.lane, turn.next, run.started, run.key))
            following.append(run)
    if following:
        yield from ask(
            ADVANCE_BACKFILLS(
                tenants=[run.subject.tenant for run in following],
                tasks=[run.subject.task for run in following],
                requests=[backfill_of(run.wake) for run in following],
            )
        )
    if waits:
        _hold_back(plan, waits, {(row.tenant, row.key): row for row in rows})


def _hold_back(plan: Plan, waits: Mapping[int, UUID], rows: Mapping[tuple[str, UUID], DueRow]) -> None:
    """Take runs out of what starts; they wait for one of their own backfill, whose end frees the oldest."""
    for n in sorted(waits, reverse=True):
        run = plan.start.pop(n)
        del plan.start_failures[n]
        plan.busy.discard((run.subject.tenant, run.subject.task))
        plan.wait.append((rows[run.subject.tenant, run.key], waits[n]))
