"""Giving a task the open row that it must have (I4): the code of every repair, and of what proves it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger.errors import StaleReference
from ledger.moves.adopt import NewRow, Subject, adopt
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.step import Batch, Move
from ledger.statements.acts import READ_REFERENCES, LockedTask
from projector.moves.hints import hints_of, unread_hints
from projector.moves.project import anchor_of, passing_of, successor


def open_series(tenant: str, tasks: Sequence[LockedTask], made_by: str) -> Move[list[NewRow]]:
    """Derive the row that each task's reference calls for, and open it or find it open.

    The tasks are enabled and their locks held. A row that says the series has ended counts as well.
    """
    if not tasks:
        return []
    rows, moment = yield from derive_series(tenant, tasks)
    yield from adopt(rows, made_by, moment)
    return rows


def derive_series(tenant: str, tasks: Sequence[LockedTask]) -> Move[tuple[list[NewRow], datetime]]:
    """The row that each task's reference and hints call for, and the moment of the look."""
    names = [task.task for task in tasks]
    calls = (READ_REFERENCES(tenant=tenant, tasks=names), unread_hints([(tenant, name) for name in names]))
    answers = yield Batch(calls)
    references, hints = calls[0].read(answers[0]), hints_of(calls[1].read(answers[1]))
    subjects = yield from read_subjects(tenant, tasks)
    rows = [
        successor(
            subject,
            anchor_of(reference),
            hints.get((tenant, reference.task), ()),
            passing=passing_of(reference, subject),
        )
        for reference in references
        if (subject := subjects.get(reference.task)) is not None
    ]
    return rows, references[0].moment


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
