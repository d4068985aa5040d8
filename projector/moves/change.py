"""What an act changes of one task: a pure decision, from what was read under the task's lock."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias
from uuid import UUID

from ledger.authored.fold import Folded
from ledger.authored.models import Definition
from ledger.keys import twin_hash
from ledger.moves.adopt import SERIES, NewRow, Subject
from ledger.moves.definitions import parse
from ledger.moves.retry import again
from ledger.statements.acts import LockedTask, PendingRow, Reference
from projector.moves.project import Anchor, anchor_of, successor
from projector.moves.resume import resume_after_edit, stands_again
from projector.moves.trail import Hint

Did: TypeAlias = Literal["defined", "edited", "enabled", "disabled", "deleted", "unchanged"]
What: TypeAlias = Literal["define", "edit", "enable", "disable", "delete"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asks of one task.

    `folded` is the whole object for a define; an edit, enable, disable or delete goes by the one in force.
    `enabled` is the switch of a task that a define creates; it never moves the switch of one that exists.
    """

    task: str
    what: What
    folded: Folded | None = None
    enabled: bool = True
    allow_duplicate: bool = False


@dataclass(frozen=True, slots=True)
class Acted:
    """What an act did to one task, and what its series does next.

    `did` is `defined`, `edited`, `enabled`, `disabled`, `deleted`, or `unchanged` where all was so already.
    `next` is the open row's slot; None where the task is off, or where `ended` says that no slot is left.
    """

    task: str
    did: Did
    digest: bytes = field(repr=False)
    enabled: bool
    next: datetime | None = None
    key: UUID | None = None
    ended: bool = False
    retired: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """One task's act, decided: what is written, retired and opened."""

    acted: Acted
    what: What
    n: int
    resume_after: datetime | None
    twin: bytes | None
    created: bool
    canonical: str | None
    agent: str
    retire: Sequence[PendingRow]
    open: Sequence[NewRow]
    # The twin hash that the task leaves.
    left: bytes | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """A task as its lock found it; `task` is None where no row of it stands."""

    task: LockedTask | None
    created: bool
    reference: Reference
    pending: Sequence[PendingRow]
    moment: datetime
    # The text of the digest in force.
    text: str | None
    hints: Sequence[Hint] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """What the task's row is to say after the act."""

    what: What
    enabled: bool
    digest: bytes
    twin: bytes | None


def change(tenant: str, wanted: Wanted, found: Situation) -> Change:
    """Decide one act; a task that stands is there, but for a delete done before."""
    task = found.task
    if task is None:
        return _unchanged(wanted, b"", enabled=False)
    if found.created:
        turn = Turn("define", wanted.enabled, task.digest, task.duplicate_hash)
        return _resume(tenant, wanted, found, turn)
    if wanted.what in ("define", "edit"):
        return _edit(tenant, wanted, found, task)
    if wanted.what == "enable" and not task.enabled:
        twin = None if wanted.allow_duplicate else twin_hash(json.loads(_text(found)))
        return _resume(tenant, wanted, found, Turn("enable", True, task.digest, twin))
    if wanted.what == "delete" or (wanted.what == "disable" and task.enabled):
        return _resume(tenant, wanted, found, Turn(wanted.what, False, task.digest, task.duplicate_hash))
    return _unchanged(wanted, task.digest, enabled=task.enabled)


_DID: dict[What, Did] = {
    "define": "defined",
    "edit": "edited",
    "enable": "enabled",
    "disable": "disabled",
    "delete": "deleted",
}


def _unchanged(wanted: Wanted, digest: bytes, *, enabled: bool) -> Change:
    acted = Acted(wanted.task, "unchanged", digest, enabled)
    return Change(acted, wanted.what, 0, None, None, False, None, "", (), ())


def _edit(tenant: str, wanted: Wanted, found: Situation, task: LockedTask) -> Change:
    """A definition that differs is an edit, whatever it was called; the switch stays as it is."""
    folded = wanted.folded
    if folded is None:
        raise ValueError(f"{wanted.what} of task {wanted.task!r} needs the folded object")
    if folded.digest == task.digest:
        return _unchanged(wanted, task.digest, enabled=task.enabled)
    remembered = task.duplicate_hash is None or wanted.allow_duplicate
    twin = None if remembered else twin_hash(folded.authored)
    return _resume(tenant, wanted, found, Turn("edit", task.enabled, folded.digest, twin))


def _resume(tenant: str, wanted: Wanted, found: Situation, turn: Turn) -> Change:
    """Record the act; where the task is on after it, open its series, retries and backfills under it."""
    text = wanted.folded.canonical if wanted.folded is not None else _text(found)
    definition = parse(text)
    subject = Subject(tenant, wanted.task, turn.digest, definition)
    resume_after = _resume_after(found, turn.what, definition) if turn.enabled else None
    opened: list[NewRow] = []
    if resume_after is not None:
        opened.append(successor(subject, _anchor(found, resume_after, turn.what), found.hints))
        opened += [
            again(row, subject)
            for row in found.pending
            if turn.what == "edit" and row.wake.partition(":")[0] in ("retry", "rerun", "backfill")
        ]
    series = opened[0] if opened else None
    open_now = series if series is not None and series.state == "pending" else None
    acted = Acted(
        wanted.task,
        _DID[turn.what],
        turn.digest,
        turn.enabled,
        next=open_now.due if open_now else None,
        key=open_now.key if open_now else None,
        ended=series is not None and open_now is None,
        retired=len(found.pending),
    )
    n = (found.reference.n or 0) + 1
    return Change(
        acted,
        turn.what,
        n,
        resume_after,
        turn.twin,
        found.created,
        text,
        definition.agent,
        found.pending,
        opened,
        left=found.task.duplicate_hash if found.task is not None else None,
    )


def _resume_after(found: Situation, what: What, new: Definition) -> datetime:
    if what != "edit":
        return found.moment
    before = found.reference
    if before.resume_after is None:
        return found.moment
    old, anchor = parse(_text(found)), anchor_of(before)
    for row in found.pending:
        come = row.lane == SERIES and row.due <= found.moment
        if come and stands_again(row.due, anchor, old, new, found.hints):
            return anchor.after
    return resume_after_edit(old, new, anchor.after, found.moment)


def _anchor(found: Situation, resume_after: datetime, what: What) -> Anchor:
    """The anchor once this act is the newest."""
    reference = found.reference
    after = resume_after if reference.frontier is None else max(resume_after, reference.frontier)
    # Without a row at the frontier it counts from when the series was switched on.
    kept = reference.frontier is not None or what == "edit"
    return Anchor(after, (reference.base if kept else None) or found.moment, reference.frontier_key)


def _text(found: Situation) -> str:
    if found.text is None:
        raise ValueError("the definition in force was not read")
    return found.text
