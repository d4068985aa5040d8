"""Starting runs: the successor is projected in the very transaction that marks a run as running."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from ledger.authored.models import Definition
from ledger.errors import NotFound, NotStarted, Violation
from ledger.facts import instant_text
from ledger.moves.adopt import SERIES, Subject, adoption, check_adoption
from ledger.moves.archive import find_archived
from ledger.moves.definitions import kept_definitions, parse, unread_definitions
from ledger.moves.step import Batch, Call, Move, ask
from ledger.moves.text import bounded
from ledger.statements.acts import LOCK_TASKS
from ledger.statements.admission import Limit
from ledger.statements.agents import READ_GONE, GoneAgent
from ledger.statements.hints import CONSUME_HINTS
from ledger.statements.occurrences import (
    ADOPT,
    CLAIM_DUE,
    FREE_WAITERS,
    LOCK_DUE,
    READ_ROWS,
    RETIRE_ROWS,
    SET_ASIDE,
    SKIP_ROWS,
    START_ROWS,
    WAIT_ROWS,
    Context,
    Counted,
    DueRow,
    RowKey,
)
from projector.moves.admission import NOBODY, Held, calls_for, go_on_with, held_back, limits_of, open_gates
from projector.moves.decide import Plan, Skip, Started, decide
from projector.moves.hints import Hints, hints_of, unread_hints
from projector.moves.open import open_series
from projector.moves.replace import give_way
from projector.moves.standing import contexts_of, read_standings
from projector.moves.turns import in_turn

Texts: TypeAlias = dict[tuple[str, bytes], str]

# How long a row that failed alone stays aside before it is tried again.
ASIDE = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a claim did: the runs to hand over, and how many rows it looked at, by what became of them."""

    started: list[Started] = field(default_factory=list)
    looked_at: int = 0
    skipped: int = 0
    waiting: int = 0
    retired: int = 0
    left: int = 0
    aside: list[tuple[UUID, str, str]] = field(default_factory=list)
    # When the first of the rows that it opened may start.
    earliest: datetime | None = None
    # Runs that gave way to others; whoever has their handlers tells them.
    replaced: list[UUID] = field(default_factory=list)
    # Tenants at their caps, and those whose limits others held: their rows were left as they are.
    held: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)


def claim(deliveries: Sequence[str], n: int, incarnation: int | None) -> Move[Claimed]:
    """Take at most `n` due rows of these deliveries, decide on each, start, and project every successor.

    Commit comes before anything is handed over (I17). What another holds is passed by.
    """
    rows = yield from ask(CLAIM_DUE(deliveries=list(deliveries), n=n))
    return (yield from settle(rows, incarnation, handed=False)) if rows else Claimed()


def claim_row(tenant: str, key: UUID, incarnation: int | None) -> Move[Claimed]:
    """The claim of one row that is still due: what a batch that failed is done again by (I12)."""
    row = yield from lock_row(tenant, key)
    if row is None or row.state != "pending" or row.blocked_by is not None or row.run_at > row.moment:
        return Claimed()
    return (yield from settle([row], incarnation, handed=False))


def start(tenant: str, key: UUID) -> Move[Started | NotStarted]:
    """Start one due row for the platform's own runtime, which does the work after the commit.

    Where a newer slot has come, that one starts in its place. Answers `NotStarted` with the reason why there
    is nothing to do: an answer and no error, since a skip must be committed for it to be told (I18). Raises
    `NotFound`.
    """
    row = yield from lock_row(tenant, key)
    if row is None:
        return (yield from _left(tenant, key))
    if refusal := _why_not(row):
        return refusal
    claimed = yield from settle([row], None, handed=True)
    for started in claimed.started:
        return started
    for _, _, why in claimed.aside:
        return _refused(row, "blocked", why)
    if claimed.held or claimed.waiting or claimed.left:
        return _refused(row, "held" if claimed.held else "waiting")
    return _refused(row, "retired" if claimed.retired else "closed")


def _left(tenant: str, key: UUID) -> Move[NotStarted]:
    """What there is to say of a key that is not among the hot rows: its row lies in the archive."""
    found = yield from find_archived(tenant, key)
    if found is None:
        raise NotFound("starting an occurrence: the ledger has no such key", tenant=tenant, key=str(key))
    return NotStarted(
        f"starting the slot {instant_text(found.due)}: it is {found.state}, and lies in the archive; "
        "it has its disposition already, read `explain`",
        reason="retired" if found.state == "retired" else "closed",
        tenant=tenant,
        task=found.task,
        key=str(key),
    )


def lock_row(tenant: str, key: UUID) -> Move[DueRow | None]:
    """Take the row of a key, its task's row first; None where there is no such key."""
    found = yield from ask(READ_ROWS(keys=[key], tenants=[tenant]))
    if not found:
        return None
    yield from ask(LOCK_TASKS(tenants=[tenant], tasks=[found[0].task]))
    rows = yield from ask(LOCK_DUE(key=key, tenant=tenant))
    return rows[0] if rows else None


def _why_not(row: DueRow) -> NotStarted | None:
    if row.state == "pending":
        if row.blocked_by is not None:
            return _refused(row, "blocked" if row.blocked_by == row.key else "waiting", row.reason)
        return None if row.run_at <= row.moment else _refused(row, "not_due")
    return _refused(row, row.state if row.state in ("running", "retired") else "closed")


def _refused(row: DueRow, reason: str, why: str | None = None) -> NotStarted:
    advice = {
        "not_due": f"it is due to run at {instant_text(row.run_at)}; start it then",
        "running": "it runs already; nothing is to be done",
        "closed": "it has its disposition already, or was skipped now; read `explain`",
        "retired": "its task was edited, disabled or deleted; ask what is due again",
        "waiting": "another run of the task is in its way; it is due again when that has finished",
        "blocked": f"it was set aside: {why}",
        "held": "its tenant has as many runs as it may have at once; ask again when one of them has ended",
    }[reason]
    return NotStarted(
        f"starting the slot {instant_text(row.due)}: it is {row.state}; {advice}",
        reason=reason,
        tenant=row.tenant,
        task=row.task,
        key=str(row.key),
    )


def settle(
    rows: Sequence[DueRow], incarnation: int | None, *, handed: bool, held: Held = NOBODY
) -> Move[Claimed]:
    """Decide on rows that are held with their tasks, and write it all: exits first, successors last (I4).

    `held`: since when tenants of theirs were left out of claims, as they were at their caps.
    """
    plan = Plan()
    alive = []
    for row in rows:
        if row.enabled and row.digest_in_force == row.digest:
            alive.append(row)
        else:
            plan.retire.append(row)
    texts, contexts, hints, limits, gone = yield from _read(alive, handed)
    gates = (yield from open_gates(limits, gone, rows[0].moment)) if limits or gone else None
    definitions = _definitions(alive, texts, plan)
    known = [i for i, row in enumerate(alive) if (row.tenant, row.digest) in definitions]
    contexts = [contexts[i] for i in known]
    alive = [alive[i] for i in known]
    subjects = [
        Subject(row.tenant, row.task, row.digest, definitions[row.tenant, row.digest]) for row in alive
    ]
    standings = yield from read_standings(alive, subjects, contexts, hints)
    if held:
        held_back(standings, alive, held)
    for row, subject, standing in zip(alive, subjects, standings, strict=True):
        try:
            if gates is None or gates.admit(plan, row, subject, standing):
                decide(plan, row, subject, standing)
        except Exception as error:  # noqa: BLE001 - one row's defect is that row's alone; it is set aside and shown
            plan.aside.append((row, f"{type(error).__name__}: {error}"))
    yield from in_turn(plan, alive)
    by = "start" if incarnation is None else f"incarnation {incarnation}"
    replaced = (yield from give_way(plan.replace, plan.wait, by)) if plan.replace else []
    starts = [*calls_for(plan.start, gates, held), _start(plan, incarnation, handed)] if plan.start else []
    waiting = yield from _write(plan, rows[0].moment, by, starts)
    if gates is not None and gates.skipped:
        yield from go_on_with(gates.skipped)
    return Claimed(
        plan.start,
        len(rows),
        len(plan.skip) + len(plan.skip_fresh),
        waiting,
        len(plan.retire),
        plan.left + len(plan.wait) - waiting,
        [(row.key, row.tenant, why) for row, why in plan.aside],
        min([row.run_at for rows in (plan.fresh, plan.successors) for row in rows], default=None),
        replaced,
        sorted(gates.held) if gates is not None else [],
        sorted(gates.elsewhere) if gates is not None else [],
    )


def _read(
    rows: Sequence[DueRow], wait: bool
) -> Move[tuple[Texts, list[Context], Hints, list[Limit], list[GoneAgent]]]:
    """The contexts of rows, the hints of their tasks, the limits of their tenants, which are held from then
    on, the agents of theirs that are gone, and the texts of their definitions, in one turn.
    """
    if not rows:
        return {}, [], {}, [], []
    names = [(row.tenant, row.digest) for row in rows]
    asked, unread = contexts_of(rows), unread_definitions(names)
    hinted = unread_hints(list({(row.tenant, row.task): None for row in rows if row.lane == SERIES}))
    limits, gone = limits_of(rows, wait=wait), READ_GONE(tenants=list({row.tenant: None for row in rows}))
    calls = (asked, hinted, limits, gone)
    answers = yield Batch(calls if unread is None else (*calls, unread))
    texts = kept_definitions(names, [] if unread is None else unread.read(answers[4]))
    hints = hints_of(hinted.read(answers[1]))
    return texts, asked.read(answers[0]), hints, limits.read(answers[2]), gone.read(answers[3])


def _definitions(rows: Sequence[DueRow], texts: Texts, plan: Plan) -> dict[tuple[str, bytes], Definition]:
    """The definitions of rows; a row whose definition cannot be read is set aside."""
    definitions: dict[tuple[str, bytes], Definition] = {}
    for row in rows:
        named = (row.tenant, row.digest)
        try:
            definitions[named] = parse(texts[named])
        except KeyError:
            plan.aside.append((row, f"definition {row.digest.hex()} is not in the ledger"))
        except Exception as error:  # noqa: BLE001 - a text that this release cannot read sets its rows aside
            plan.aside.append((row, f"definition {row.digest.hex()} cannot be read: {error}"))
    return definitions


def _write(plan: Plan, moment: datetime, by: str, starts: Sequence[Call[object]]) -> Move[int]:
    """Send the plan as one pipeline, `starts` in the place of what it starts; how many rows wait now."""
    calls: list[Call[object]] = []
    if plan.retire:
        calls.append(_retire(plan.retire, moment, by))
    if plan.skip:
        calls.append(_skip(plan.skip, by))
    calls += [
        SET_ASIDE(key=row.key, tenant=row.tenant, reason=bounded(why[:2000]), wait=ASIDE)
        for row, why in plan.aside
    ]
    if plan.fresh:
        calls.append(adoption(plan.fresh, "claim", moment))
    if plan.skip_fresh:
        calls.append(_skip(plan.skip_fresh, by))
    calls += starts
    if plan.consume:
        calls.append(
            CONSUME_HINTS(
                keys=[run.key for run in plan.consume], tenants=[run.subject.tenant for run in plan.consume]
            )
        )
    if plan.successors:
        calls.append(adoption(plan.successors, "start", moment))
    if plan.free:
        calls.append(FREE_WAITERS(tenants=[one for one, _ in plan.free], tasks=[one for _, one in plan.free]))
    answers = (yield Batch(calls)) if calls else ()
    opening = iter([rows for rows in (plan.fresh, plan.successors) if rows])
    for call, answer in zip(calls, answers, strict=True):
        if call.statement is START_ROWS and len(answer) != len(plan.start):
            raise Violation(f"{len(plan.start)} rows were to start, {len(answer)} did; nothing was changed")
        if call.statement is ADOPT:
            rows = next(opening)
            if len(answer) != len(rows):
                yield from check_adoption(rows, ADOPT().read(answer))
    yield from _reopen(plan.retire)
    return (yield from _wait(plan.wait)) if plan.wait else 0


def _reopen(dead: Sequence[DueRow]) -> Move[None]:
    """Where a series row under a dead digest stood in the way of an enabled task, open the right one."""
    for row in dead:
        if row.enabled and row.lane == SERIES:
            tasks = yield from ask(LOCK_TASKS(tenants=[row.tenant], tasks=[row.task]))
            yield from open_series(row.tenant, tasks, "claim")


def _wait(waiting: Sequence[tuple[DueRow, UUID]]) -> Move[int]:
    written = yield from ask(
        WAIT_ROWS(
            keys=[row.key for row, _ in waiting],
            tenants=[row.tenant for row, _ in waiting],
            blockers=[blocker for _, blocker in waiting],
        )
    )
    return len(written)


def _retire(rows: Sequence[DueRow], moment: datetime, by: str) -> Call[RowKey]:
    return RETIRE_ROWS(
        keys=[row.key for row in rows],
        tenants=[row.tenant for row in rows],
        reason="dead digest",
        at=instant_text(moment),
        by=by,
    )


def _skip(skips: Sequence[Skip], by: str) -> Call[RowKey]:
    return SKIP_ROWS(
        by=by,
        keys=[skip.key for skip in skips],
        tenants=[skip.tenant for skip in skips],
        reasons=[skip.reason for skip in skips],
        blockers=[skip.blocker for skip in skips],
        failures=[skip.failures for skip in skips],
    )


def _start(plan: Plan, incarnation: int | None, handed: bool) -> Call[Counted]:
    return START_ROWS(
        keys=[run.key for run in plan.start],
        tenants=[run.subject.tenant for run in plan.start],
        timeouts=[run.deadline - run.started for run in plan.start],
        failures=plan.start_failures,
        incarnation=incarnation,
        handed=handed,
    )
