"""How a history is changed to make a mutant of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from benchmarks.judge.history import History, Mark, Row
from benchmarks.judge.names import key_of
from tests.judge.script import at


def row_of(history: History, task: str, second: float, wake: str = "schedule") -> Row:
    (row,) = [r for r in history.rows if r.task == task and r.due == at(second) and r.wake == wake]
    return row


def change(history: History, row: Row, **values: Any) -> Row:
    """Put another row in the place of one; its key stays what it was."""
    new = replace(row, **values)
    history.rows[history.rows.index(row)] = new
    return new


def drop_marks(history: History, row: Row, what: str | None = None) -> list[Mark]:
    gone = [mark for mark in history.marks if mark.key == row.key and what in (None, mark.what)]
    history.marks = [mark for mark in history.marks if mark not in gone]
    return gone


def shift(history: History, row: Row, what: str, seconds: float) -> None:
    """Move a mark in time."""
    (mark,) = drop_marks(history, row, what)
    history.marks.append(replace(mark, at=mark.at + timedelta(seconds=seconds)))


def drop(history: History, row: Row) -> None:
    """A run that never was."""
    history.rows.remove(row)
    drop_marks(history, row)


def again(history: History, row: Row, **facts: Any) -> None:
    """The run a second time, as a row of its own with marks of its own."""
    second = replace(row, **facts)
    key, fingerprint = key_of(second)
    history.rows.append(replace(second, key=key, fingerprint=fingerprint))
    if row.started is not None and second.started is not None:
        later = second.started - row.started
        marks = [mark for mark in history.marks if mark.key == row.key]
        history.marks += [replace(m, key=key, slot=second.due, at=m.at + later) for m in marks]
