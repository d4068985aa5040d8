"""Series past their end: an open row behind the last slot that its text has.

Nothing would ever stop it: it would run once more than its author asked for, and what follows it as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from ledger.moves.definitions import parse
from ledger.statements.sweep import TextRow
from projector.moves.governor import first_slot, replay
from projector.moves.trail import MICROSECOND
from projector.slots import schedule_of


def past_end(rows: Sequence[TextRow]) -> tuple[list[tuple[str, UUID]], list[tuple[str, str]]]:
    """The rows behind the last slot of their series, by task and key; tasks that cannot be read, and why.

    A hint or a bound may put a row there; its trail says so, and gives the same instant again.
    """
    beyond: list[tuple[str, UUID]] = []
    unreadable: list[tuple[str, str]] = []
    for row in rows:
        if row.task is None or row.key is None or row.due is None:
            continue
        try:
            if _is_past(row, row.due):
                beyond.append((row.task, row.key))
        except Exception as error:  # noqa: BLE001 - one task's text is that task's trouble alone (I12)
            unreadable.append((row.task, str(error)))
    return beyond, unreadable


def _is_past(row: TextRow, due: datetime) -> bool:
    definition = parse(row.text)
    if first_slot(schedule_of(definition.schedule), due - MICROSECOND) is not None:
        return False
    if row.trail is None or row.after is None or row.base is None:
        return True
    return replay(row.trail, row.after, row.base, definition).due != due
