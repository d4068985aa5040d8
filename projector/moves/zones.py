"""Zone rules that change: which open rows the rules of this process put at another instant, and their move.

A row keeps what it was derived from, so nobody needs the old rules to judge it: replayed under the new ones,
it gives its own instant again, or another. A row that has come stands, whatever the rules say now: it was
promised for that time. Any other row that differs is retired and projected anew, by an act of its own, so
that who reads the task's acts sees why the series changed (I20).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from ledger.authored.models import Definition
from ledger.facts import instant_text
from ledger.moves.adopt import NEVER, NewRow
from ledger.moves.definitions import parse
from ledger.moves.step import Batch, Call, Move, ask
from ledger.release import RELEASE
from ledger.statements.acts import ADD_ACTS, LOCK_TASKS, READ_REFERENCES, TELL_ACT, LockedTask, Reference
from ledger.statements.occurrences import RETIRE_ROWS
from ledger.statements.zones import KEEP_ZONES, LOOK_ZONES, ZonedRow
from projector.moves.governor import govern, replay
from projector.moves.open import open_series
from projector.moves.trail import MICROSECOND, read_trail
from projector.moves.utc_only import named_zones
from projector.slots import schedule_of

ZONES = "zones"


@dataclass(frozen=True, slots=True)
class Drift:
    """An open row whose instant the rules of this process change.

    `due` and `then` are None where the series has ended, or will have. `resume_after` is where the act that
    moves it resumes the series.
    """

    tenant: str
    task: str
    key: UUID
    zone: str
    due: datetime | None
    then: datetime | None
    resume_after: datetime = field(repr=False)

    @property
    def differs(self) -> bool:
        """Whether the instant is another: of some rows only what they stand for changes, not when."""
        return self.due != self.then


@dataclass(frozen=True, slots=True)
class ZoneLook:
    """What a look at rows of another release found: those that must move, tasks and keys of those whose
    instant stays, how many have come and stand, and tasks that cannot be read, with the reason.

    `last` is the last task that was looked at; None where the range was looked at whole.
    """

    looked_at: int = 0
    drifts: Sequence[Drift] = ()
    same: Sequence[tuple[str, UUID]] = ()
    come: int = 0
    unreadable: Sequence[tuple[str, str]] = ()
    last: str | None = None

    def only(self, tasks: Collection[str]) -> ZoneLook:
        """What concerns these tasks alone; the counts are left as they are."""
        return replace(
            self,
            drifts=[row for row in self.drifts if row.task in tasks],
            same=[one for one in self.same if one[0] in tasks],
            unreadable=[one for one in self.unreadable if one[0] in tasks],
        )


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move of the rules did to some tasks: an act and a row for each that had to move."""

    drifts: Sequence[Drift] = ()
    rows: Sequence[NewRow] = ()
    unreadable: Sequence[tuple[str, str]] = ()


def look_zones(tenant: str, first: str, last: str, n: int | None = None) -> Move[ZoneLook]:
    """Look at rows of one tenant, tasks `first` to `last`, that another release of the rules projected.

    Nothing is locked, and nothing is written. With `n`, at most so many rows.
    """
    rows = yield from ask(LOOK_ZONES(tenant=tenant, first=first, last=last, tzdata=RELEASE.tzdata, n=n))
    found = judge_zones(tenant, rows)
    return replace(found, last=rows[-1].task) if n is not None and len(rows) == n else found


def judge_zones(tenant: str, rows: Sequence[ZonedRow]) -> ZoneLook:
    """What `look_zones` answers, from the rows of its statement; for whoever sends that along with others."""
    drifts: list[Drift] = []
    same: list[tuple[str, UUID]] = []
    unreadable: list[tuple[str, str]] = []
    come = 0
    for row in rows:
        try:
            definition = parse(row.canonical)
            drift = _drift(tenant, row, definition)
        except Exception as error:  # noqa: BLE001 - one task's zone or text is that task's trouble alone (I12)
            unreadable.append((row.task, str(error)))
        else:
            if drift is not None:
                drifts.append(drift)
            elif _has_come(row):
                come += 1
            else:
                same.append((row.task, row.key))
    return ZoneLook(len(rows), drifts, same, come, unreadable)


def move_zones(tenant: str, tasks: Sequence[str], by: str, made_by: str) -> Move[Moved]:
    """Move tasks of one tenant to the rules of this process, one act each; none for what need not move.

    `tasks` are sorted; they are held first, and what is done is what is found then. The release in force is
    this process's already (`under`). Done twice it changes nothing the second time (I15).
    """
    names = list(tasks)
    locked = {t.task: t for t in (yield from ask(LOCK_TASKS(tenants=[tenant] * len(names), tasks=names)))}
    found = (yield from look_zones(tenant, names[0], names[-1])).only(frozenset(locked))
    if found.same:
        # True for ever, so nobody need look at these rows again.
        keys = [key for _, key in found.same]
        yield from ask(KEEP_ZONES(keys=keys, tenants=[tenant] * len(keys), tzdata=RELEASE.tzdata))
    if not found.drifts:
        return Moved(unreadable=found.unreadable)
    references = yield from ask(READ_REFERENCES(tenant=tenant, tasks=[d.task for d in found.drifts]))
    yield Batch(_writes(tenant, found.drifts, locked, {r.task: r for r in references}, by))
    rows = yield from open_series(tenant, [locked[d.task] for d in found.drifts], made_by)
    yield Batch([TELL_ACT()])
    return Moved(found.drifts, rows, found.unreadable)


def _has_come(row: ZonedRow) -> bool:
    return row.state == "pending" and row.due <= row.moment


def _drift(tenant: str, row: ZonedRow, definition: Definition) -> Drift | None:
    """How a row must move; None where its instant stays, or has come. Raises where a zone cannot be read."""
    slots = schedule_of(definition.schedule)
    if _has_come(row):
        return None
    if row.after is None:
        raise ValueError(
            f"row {row.key} does not say after which instant it was derived; define the task anew"
        )
    base = row.after if row.base is None else row.base
    said = replay(row.trail, row.after, base, definition)
    if (said.due or NEVER, said.wake) == (row.due, row.wake):
        return None
    later = max(row.moment, row.after)
    resume_after = later
    if row.trail is None and row.state == "pending":
        # What was the next slot may lie behind under the new rules: then it has come, and is not lost.
        before, following = slots.previous(row.due + MICROSECOND), slots.next(row.due)
        if (
            before is not None
            and row.after < before <= row.moment
            and (following is None or row.due - before <= following - row.due)
        ):
            resume_after = before - MICROSECOND
    hints = () if row.trail is None else read_trail(row.trail)[0]
    then = govern(resume_after, base, definition, hints)
    due = None if row.state == "ended" else row.due
    zone = ", ".join(dict.fromkeys(named_zones(definition).values()))
    return Drift(tenant, row.task, row.key, zone, due, then.due, resume_after)


def _writes(
    tenant: str,
    drifts: Sequence[Drift],
    locked: dict[str, LockedTask],
    references: dict[str, Reference],
    by: str,
) -> list[Call[object]]:
    """The acts, and the exits of the open rows: a lane is left before it is entered."""
    moment = max(reference.moment for reference in references.values())
    tasks = [locked[drift.task] for drift in drifts]
    calls: list[Call[object]] = [
        ADD_ACTS(
            tenant=tenant,
            at=moment,
            by=by,
            note=f"zone rules of tzdata {RELEASE.tzdata}",
            tasks=[task.task for task in tasks],
            ns=[(references[task.task].n or 0) + 1 for task in tasks],
            whats=[ZONES] * len(tasks),
            digests=[task.digest for task in tasks],
            enabled=[True] * len(tasks),
            resume_afters=[drift.resume_after for drift in drifts],
        )
    ]
    keys = [drift.key for drift in drifts if drift.due is not None]
    if keys:
        at, tenants = instant_text(moment), [tenant] * len(keys)
        calls.append(RETIRE_ROWS(keys=keys, tenants=tenants, reason=ZONES, at=at, by=by))
    return calls
