"""Acts rehearsed: carried out by their own moves, looked at, and rolled back, so the answer cannot lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ledger.moves.step import Move, ask, within_savepoint
from ledger.statements.acts import LOCK_TASKS
from ledger.statements.rehearsal import READ_OPEN_ROWS, OpenRow
from projector.moves.change import Acted
from projector.moves.edit import edit

Fate: TypeAlias = Literal["retires", "opens", "opens again", "stays"]
_ORDER: tuple[Fate, ...] = ("retires", "opens", "opens again", "stays")


@dataclass(frozen=True, slots=True)
class RowFate:
    """What becomes of a row: it `retires`, `opens` (new), `opens again` (retired before), or `stays`."""

    fate: Fate
    row: OpenRow


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What acts would do: their answers, and what becomes of each row. Nothing of it was kept."""

    acts: Sequence[Acted]
    rows: Sequence[RowFate]


def rehearse(tenant: str, tasks: Sequence[str], acts: Move[list[Acted]]) -> Move[Rehearsed]:
    """Carry out acts on these tasks within a savepoint, see what they did to rows, and undo it all.

    Raises what the acts raise.
    """
    return (yield from within_savepoint(_watched(tenant, tasks, acts), keep=False))


def rehearse_edit(tenant: str, task: str, patch: Mapping[str, object], by: str) -> Move[Rehearsed]:
    """What an edit by a merge patch would do. Raises what `edit` raises."""
    return rehearse(tenant, [task], _listed(edit(tenant, task, patch, by)))


def _listed(act: Move[Acted]) -> Move[list[Acted]]:
    return [(yield from act)]


def _watched(tenant: str, tasks: Sequence[str], acts: Move[list[Acted]]) -> Move[Rehearsed]:
    names = sorted(tasks)
    # Under the locks nobody else changes these rows between the two looks.
    yield from ask(LOCK_TASKS(tenants=[tenant] * len(names), tasks=names))
    before = yield from ask(READ_OPEN_ROWS(tenant=tenant, tasks=names))
    done = yield from acts
    after = yield from ask(READ_OPEN_ROWS(tenant=tenant, tasks=names))
    return Rehearsed(done, _fates(before, after))


def _fates(before: Sequence[OpenRow], after: Sequence[OpenRow]) -> list[RowFate]:
    stood, stand = {row.key for row in before}, {row.key for row in after}
    fates = [RowFate("retires", row) for row in before if row.key not in stand]
    for row in after:
        if row.key in stood:
            fates.append(RowFate("stays", row))
        else:
            fates.append(RowFate("opens again" if row.stood else "opens", row))
    return sorted(fates, key=lambda one: (one.row.task, _ORDER.index(one.fate), one.row.run_at))
