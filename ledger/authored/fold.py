"""Folding: from what was handed in to the one authored object that is stored, digested and shown back."""

from __future__ import annotations

import json
from typing import NamedTuple

from ledger.authored.task_table import TASK
from ledger.errors import FactRefused, TaskRefused
from ledger.facts import shown
from ledger.keys import MAX_CANONICAL_BYTES, MAX_DEPTH, digest_sound
from ledger.strict_json import Findings, inspect


class Folded(NamedTuple):
    """A task as it is kept: the authored object, its digest (32 bytes) and its canonical text."""

    authored: dict[str, object]
    digest: bytes
    canonical: str


def fold(task: object) -> Folded:
    """Fold a task given as plain JSON (I19). Two tasks that mean the same fold to the same bytes.

    Raises TaskRefused with the path of the first member that fails: `task` for the whole (no object,
    a bad number, too deep), then members in the order of the table, at last `task` for its size.
    The answer shares nothing with what was handed in.
    """
    if not isinstance(task, dict):
        raise TaskRefused("task", f"must be an object, not {shown(task)}")
    found = inspect(task)
    _refuse_unsound(found)
    authored = TASK.fold(task, "")
    try:
        digested = digest_sound(authored, found)
    except FactRefused as error:
        raise TaskRefused("task", error.message.removeprefix(f"{error.fact}: ")) from error
    return Folded(json.loads(digested.canonical), digested.digest, digested.canonical)


def _refuse_unsound(found: Findings) -> None:
    """What is wrong with a task wherever it stands. The last four only a caller in Python can reach."""
    if found.bad_number:
        raise TaskRefused("task", "has a number that is not finite or beyond ±(2^53−1); write it as text")
    if found.depth > MAX_DEPTH:
        raise TaskRefused("task", f"nests {found.depth} levels deep; the most is {MAX_DEPTH}")
    if found.doubled:
        raise TaskRefused("task", "has one name twice in an object; keep one of the two")
    if found.bad_text:
        raise TaskRefused("task", "has half a surrogate pair in a text or a name; write Unicode")
    if found.foreign:
        raise TaskRefused("task", f"has {found.foreign}; write what JSON can hold")
    if found.endless:
        raise TaskRefused("task", f"is far beyond the most, {MAX_CANONICAL_BYTES} canonical bytes")
