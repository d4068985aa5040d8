"""People's acts: define, edit, enable, disable, delete; each retires what is over and opens what holds.

One shape serves them all, for one task or ten thousand: take the rows of the tasks, read their references,
decide, then write definitions, tasks, acts, retirements and successors as one pipeline. An act is an
append-only row; asking for what is so already is no act, and says so (I15).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from ledger.authored.fold import Folded
from ledger.errors import BadInput, DuplicateTask, NotFound, Violation
from ledger.facts import instant_text
from ledger.keys import twin_hash
from ledger.moves.adopt import SERIES, adoption, check_adoption
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.step import Batch, Call, Move, ask, within_savepoint
from ledger.release import RELEASE
from ledger.statements.acts import (
    ADD_ACTS,
    ADD_TASKS,
    DELETE_TASKS,
    FIND_TWINS,
    LOCK_TASKS,
    READ_PENDING,
    READ_REFERENCES,
    SET_TASKS,
    STORE_DEFINITIONS,
    TELL_ACT,
    LockedTask,
    PendingRow,
)
from ledger.statements.agents import LIFT_GONE
from ledger.statements.occurrences import ADOPT, RETIRE_ROWS
from ledger.statements.overlap import CARRY_WAITS
from projector.moves.admit import admit
from projector.moves.change import Acted, Change, Situation, Wanted, What, change
from projector.moves.hints import drop_hints, hints_of, unread_hints
from projector.moves.utc_only import keep_zones_out

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Said:
    """When an act was carried out (the database's clock, after the locks), by whom, and their note."""

    moment: datetime
    by: str
    note: str


def act(tenant: str, wanted: Sequence[Wanted], by: str, note: str = "") -> Move[list[Acted]]:
    """Carry out what a person asks of tasks of one tenant, all or nothing; answers in the order asked.

    Raises `NotFound` for a task that does not exist, `DuplicateTask` for an enabled twin,
    `TaskRefused` for a zone where zones are kept out, `BadInput` where one task is named twice.
    """
    names = [w.task for w in wanted]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BadInput("the act names a task twice; ask once for each", tenant=tenant, task=twice)
    if not wanted:
        return []
    yield from keep_zones_out(wanted)
    created = yield from _create(tenant, [w for w in wanted if w.what == "define"])
    moment, changes = yield from _decide(tenant, wanted, created)
    made = [one for one in changes if one.acted.did != "unchanged"]
    if made:
        yield from _write(tenant, made, Said(moment, by, note))
    return [one.acted for one in changes]


def _create(tenant: str, defines: Sequence[Wanted]) -> Move[frozenset[str]]:
    """Add the rows of tasks that are new; which they were."""
    new = sorted((w for w in defines), key=lambda w: w.task)
    if not new:
        return frozenset()
    folded = [_folded(w) for w in new]
    definitions = [parse(f.canonical) for f in folded]
    for definition in definitions:
        admit(definition)
    twins = [None if w.allow_duplicate else twin_hash(f.authored) for w, f in zip(new, folded, strict=True)]
    call = ADD_TASKS(
        tenant=tenant,
        tasks=[w.task for w in new],
        digests=[f.digest for f in folded],
        agents=[d.agent for d in definitions],
        enabled=[w.enabled for w in new],
        twins=twins,
    )
    rows = yield from _guard_twins(tenant, [w.task for w in new], twins, call)
    return frozenset(row.task for row in rows)


def _folded(wanted: Wanted) -> Folded:
    if wanted.folded is None:
        raise ValueError(f"{wanted.what} of task {wanted.task!r} needs the folded object")
    return wanted.folded


def _decide(
    tenant: str, wanted: Sequence[Wanted], created: frozenset[str]
) -> Move[tuple[datetime, list[Change]]]:
    """Read, under the locks, how each task stands, and decide its act."""
    names = [w.task for w in wanted]
    locked = {t.task: t for t in (yield from ask(LOCK_TASKS(tenants=[tenant] * len(names), tasks=names)))}
    references = {r.task: r for r in (yield from ask(READ_REFERENCES(tenant=tenant, tasks=names)))}
    pending: dict[str, list[PendingRow]] = {name: [] for name in names}
    calls = (READ_PENDING(tenant=tenant, tasks=names), unread_hints([(tenant, name) for name in names]))
    back = _agents(wanted, locked)
    lifted = (LIFT_GONE(tenant=tenant, agents=back),) if back else ()
    answers = yield Batch((*calls, *lifted))
    for row in calls[0].read(answers[0]):
        pending[row.task].append(row)
    hints = hints_of(calls[1].read(answers[1]))
    texts = yield from read_definitions(
        [(tenant, task.digest) for task in locked.values() if task.task not in created]
    )
    moment = max(reference.moment for reference in references.values())
    changes = []
    for w in wanted:
        task, reference = locked.get(w.task), references[w.task]
        if task is None and not (w.what == "delete" and reference.n is not None):
            raise NotFound(f"{w.what}: the tenant has no such task", tenant=tenant, task=w.task)
        if w.what == "edit" and w.folded is not None:
            admit(parse(w.folded.canonical))
        text = texts.get((tenant, task.digest)) if task is not None else None
        own = hints.get((tenant, w.task), ())
        found = Situation(task, w.task in created, reference, pending[w.task], moment, text, own)
        changes.append(change(tenant, w, found))
    return moment, changes


def _agents(wanted: Sequence[Wanted], locked: Mapping[str, LockedTask]) -> list[str]:
    """The agents of tasks that a person asks for: such an agent is there, whatever a run has found before."""
    agents = set()
    for w in wanted:
        if w.folded is not None:
            agents.add(parse(w.folded.canonical).agent)
        elif w.what == "enable" and w.task in locked:
            agents.add(locked[w.task].agent)
    return sorted(agents)


def _write(tenant: str, changes: Sequence[Change], said: Said) -> Move[None]:
    """Definitions, tasks, acts; then what is open leaves its lanes, and its successors enter them."""
    yield from _set_tasks(tenant, [c for c in changes if not c.created and c.what != "delete"])
    calls: list[Call[object]] = [*_stored(tenant, changes, said), _acts(tenant, changes, said)]
    # One act may define tasks and edit others: each row says what was done to its own task.
    whats = list(dict.fromkeys(c.what for c in changes))
    for what in whats:
        retire = [row.key for c in changes if c.what == what for row in c.retire]
        if retire:
            calls.append(_retire(tenant, retire, what, said))
    opening = [
        (what, rows) for what in whats if (rows := [r for c in changes if c.what == what for r in c.open])
    ]
    calls += [adoption(rows, what, said.moment) for what, rows in opening]
    calls += _waits(tenant, changes, said)
    if opening:
        calls.append(TELL_ACT())
    answers = yield Batch(calls)
    opened = [answer for call, answer in zip(calls, answers, strict=True) if call.statement is ADOPT]
    for (_, rows), answer in zip(opening, opened, strict=True):
        yield from check_adoption(rows, ADOPT().read(answer))


def _retire(tenant: str, keys: Sequence[UUID], what: What, said: Said) -> Call[object]:
    return RETIRE_ROWS(
        keys=list(keys), tenants=[tenant] * len(keys), reason=what, at=instant_text(said.moment), by=said.by
    )


def _waits(tenant: str, changes: Sequence[Change], said: Said) -> list[Call[object]]:
    """Where a slot that had to wait stands again, its wait goes with it: an edit makes nothing late (I11)."""
    waited = [
        (opened.key, row.queued, row.freed or said.moment)
        for change in changes
        for row in change.retire
        for opened in change.open
        if row.queued is not None and row.lane == SERIES and (row.lane, row.due) == (opened.lane, opened.due)
    ]
    if not waited:
        return []
    keys, queued, freed = map(list, zip(*waited, strict=True))
    return [CARRY_WAITS(tenant=tenant, keys=keys, queued=queued, freed=freed)]


def _stored(tenant: str, changes: Sequence[Change], said: Said) -> list[Call[object]]:
    """The texts that are new to the ledger, and the rows of tasks that go."""
    kept = [c for c in changes if c.what != "delete"]
    texts = {c.acted.digest: c.canonical for c in kept if c.canonical is not None}
    calls: list[Call[object]] = []
    if texts:
        calls.append(
            STORE_DEFINITIONS(
                tenant=tenant,
                at=said.moment,
                by=said.by,
                version=RELEASE.digest_version,
                digests=list(texts),
                texts=list(texts.values()),
            )
        )
    deleted = [c.acted.task for c in changes if c.what == "delete"]
    if deleted:
        calls += [DELETE_TASKS(tenant=tenant, tasks=deleted), drop_hints(tenant, deleted)]
    return calls


def _acts(tenant: str, changes: Sequence[Change], said: Said) -> Call[object]:
    return ADD_ACTS(
        tenant=tenant,
        at=said.moment,
        by=said.by,
        note=said.note,
        tasks=[c.acted.task for c in changes],
        ns=[c.n for c in changes],
        whats=[c.what for c in changes],
        digests=[c.acted.digest for c in changes],
        enabled=[c.acted.enabled for c in changes],
        resume_afters=[c.resume_after for c in changes],
    )


def _set_tasks(tenant: str, changes: Sequence[Change]) -> Move[None]:
    if not changes:
        return
    tasks, twins = [c.acted.task for c in changes], [c.twin for c in changes]
    values = {
        "tenant": tenant,
        "tasks": tasks,
        "digests": [c.acted.digest for c in changes],
        "agents": [c.agent for c in changes],
        "enabled": [c.acted.enabled for c in changes],
    }
    left = {c.left: c.acted.task for c in changes}
    if any(c.twin is not None and left.get(c.twin, c.acted.task) != c.acted.task for c in changes):
        # One takes another's place: all leave theirs before any enters its own.
        yield from ask(SET_TASKS(**values, twins=[None] * len(changes)))
    yield from _guard_twins(tenant, tasks, twins, SET_TASKS(**values, twins=twins))


def _guard_twins(
    tenant: str, tasks: Sequence[str], twins: Sequence[bytes | None], call: Call[R], tries: int = 3
) -> Move[list[R]]:
    """Write tasks; where the database refuses a twin, say whose twin it is.

    Of several who define one task at once, those who come later may be refused as twins of the very task that
    they define, since that guard may speak before the name's own conflict is seen. The task is committed by
    then, so they write again.
    """
    try:
        return (yield from within_savepoint(ask(call)))
    except Violation as violation:
        if violation.constraint != "task_twin":
            raise
        found = yield from ask(FIND_TWINS(tenant=tenant, tasks=list(tasks), twins=list(twins)))
        pairs = [(row.wanted, row.existing) for row in found]
        for i, (task, twin) in enumerate(zip(tasks, twins, strict=True)):
            pairs += [(task, tasks[j]) for j in range(i) if twin is not None and twins[j] == twin]
        if not pairs and tries > 1:
            return (yield from _guard_twins(tenant, tasks, twins, call, tries - 1))
        wanted, existing = pairs[0] if pairs else (tasks[0], "one that has gone meanwhile")
        raise DuplicateTask(
            f"an enabled task asks for the same work at the same times already: {existing!r}; "
            "edit that one, or allow the duplicate",
            tenant=tenant,
            task=wanted,
        ) from violation
