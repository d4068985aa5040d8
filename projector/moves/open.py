"""Giving a task the open row that it must have (I4): the code of every repair, and of what proves it."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.errors import StaleReference
from ledger.moves.adopt import NewRow, Subject, adopt
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.step import Move, ask
from ledger.statements.acts import READ_REFERENCES, LockedTask
from projector.moves.project import anchor_of, passing_of, successor


def open_series(tenant: str, tasks: Sequence[LockedTask], made_by: str) -> Move[list[NewRow]]:
    """Derive the row that each task's reference calls for, and open it or find it open.

    The tasks are enabled and their locks held. A row that says the series has ended counts as well.
    """
    if not tasks:
        return []
    references = yield from ask(READ_REFERENCES(tenant=tenant, tasks=[t.task for t in tasks]))
    subjects = yield from read_subjects(tenant, tasks)
    rows = [
        successor(subject, anchor_of(reference), passing=passing_of(reference, subject.definition))
        for reference in references
        if (subject := subjects.get(reference.task)) is not None
    ]
    yield from adopt(rows, made_by, references[0].moment)
    return rows


def read_subjects(tenant: str, tasks: Sequence[LockedTask]) -> Move[dict[str, Subject]]:
    """The tasks under their digests in force. Raises `StaleReference` where a definition is not there."""
    texts = yield from read_definitions([(tenant, t.digest) for t in tasks])
    subjects = {}
    for task in tasks:
        text = texts.get((tenant, task.digest))
        if text is None:
            raise StaleReference(
                f"reading definition {task.digest.hex()}: the ledger does not hold it",
                tenant=tenant,
                task=task.task,
            )
        subjects[task.task] = Subject(tenant, task.task, task.digest, parse(text))
    return subjects
