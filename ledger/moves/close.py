"""Closing runs: finished, timed out, lost, cancelled or never handed over; and the retry that follows.

A closing counts only while the row runs (I7). Whoever comes later changes nothing and leaves evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final, Literal, TypeAlias
from uuid import UUID

from ledger.errors import NotFound, Superseded
from ledger.moves.adopt import NewRow, Subject, adopt
from ledger.moves.archive import find_archived
from ledger.moves.definitions import parse, read_definitions
from ledger.moves.retry import UNHANDED_IN_A_ROW, next_attempt, unhanded_before
from ledger.moves.step import Batch, Move, ask
from ledger.moves.telling import recovered, told
from ledger.moves.text import bounded
from ledger.statements.acts import LOCK_TASKS, LockedTask
from ledger.statements.handing import NOTE_GONE
from ledger.statements.occurrences import (
    ADD_EVIDENCE,
    CLOSE_RUNS,
    CLOSE_SUCCESSES,
    FREE_WAITERS,
    LOCK_RUNS,
    READ_ROWS,
    FreedRow,
    RunRow,
)
from ledger.states import FAILED, Closed, Outcome

_NO_RETRY = "no retry: the task is disabled or deleted"
# The outcome and the reason of a run that found its agent gone; the agent is noted with it.
AGENT_GONE: Final = "agent_gone"

Why: TypeAlias = Literal["finish", "overdue", "absent", "unhanded", "cancel"]


# Not frozen, like the rows of a claim: a finish makes one for each run.
@dataclass(slots=True)
class Closing:
    """How one run is to be closed, by whom, and why it may be."""

    tenant: str
    task: str
    key: UUID
    state: Closed
    why: Why
    by: str | None = None
    incarnation: int | None = None
    outcome: str | None = None
    reason: str | None = None
    result: str | None = None
    error: str | None = None
    crumb: str | None = None
    # Said before, and the answer was lost: a row that stands as said is not late.
    again: bool = False
    # False: opening its retry has failed; the run closes without one, and `reason` says why.
    mint: bool = True

    @property
    def plain(self) -> bool:
        """Whether nothing but a success is said."""
        return (
            self.state == "succeeded"
            and self.why == "finish"
            and self.outcome is self.reason is self.error is None
        )


# A locked row, and what is said of it.
Pair: TypeAlias = tuple[RunRow, Closing]


@dataclass(frozen=True, slots=True)
class Closings:
    """What became of closings: those that counted, those that came too late, those whose run still runs
    because what was said of it does not hold (its deadline has not come), and the retries minted.
    """

    counted: list[Closing] = field(default_factory=list)
    late: list[Closing] = field(default_factory=list)
    still: list[Closing] = field(default_factory=list)
    retries: list[NewRow] = field(default_factory=list)
    # How long after this transaction the first of the retries, or of the rows set free, may start.
    wait: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a run reports of itself: how it ended, and texts that the row keeps (64 KiB each)."""

    outcome: Outcome
    result: str | None = None
    error: str | None = None
    crumb: str | None = None


def finish(tenant: str, key: UUID, report: Report, by: str) -> Move[Closings]:
    """Finish one run by its key: the answer of a runtime of the platform's own.

    Raises `NotFound` for a key the ledger does not hold. A finish that comes too late is kept as evidence:
    the closings answered name it under `late`.
    """
    found = yield from ask(READ_ROWS(keys=[key], tenants=[tenant]))
    row = found[0] if found else (yield from find_archived(tenant, key))
    if row is None:
        raise NotFound("finishing an occurrence: the ledger has no such key", tenant=tenant, key=str(key))
    return (
        yield from close(
            [
                Closing(
                    tenant,
                    row.task,
                    key,
                    report.outcome,
                    "finish",
                    by=by,
                    result=report.result,
                    error=report.error,
                    crumb=report.crumb,
                )
            ]
        )
    )


def superseded(closing: Closing) -> Superseded:
    """The error for a closing that came too late."""
    return Superseded(
        f"reporting {closing.state}: the run is closed already, or never began; "
        "the report is kept as evidence, discard the result",
        tenant=closing.tenant,
        task=closing.task,
        key=str(closing.key),
    )


def close(closings: Sequence[Closing]) -> Move[Closings]:
    """Close runs that still run, free what waited for them, and mint their retries.

    Successes lock their own rows only. What may mint a retry opens a row, so it holds the task first, as
    every move that opens does: an edit either sees the retry or is seen by it (I11).
    """
    # Of several closings of one run the first counts; the others come too late.
    by_key: dict[tuple[str, UUID], Closing] = {}
    for closing in closings:
        by_key.setdefault((closing.tenant, closing.key), closing)
    first = list(by_key.values())
    if all(closing.plain for closing in first):
        return (yield from _succeed(closings, first))
    failing = sorted({(c.tenant, c.task) for c in closings if _may_retry(c)})
    tasks: dict[tuple[str, str], LockedTask] = {}
    if failing:
        tenants, names = map(list, zip(*failing, strict=True))
        for task in (yield from ask(LOCK_TASKS(tenants=tenants, tasks=names))):
            tasks[task.tenant, task.task] = task
    rows = yield from ask(LOCK_RUNS(keys=[c.key for c in first], tenants=[c.tenant for c in first]))
    pairs = [(row, by_key[row.tenant, row.key]) for row in rows]
    counting = [(row, closing) for row, closing in pairs if _counts(row, closing)]
    counted = [closing for _, closing in counting]
    wait = None
    retries: dict[UUID, NewRow] = {}
    if counting:
        retries = yield from _retries(counting, tasks)
        wait = yield from _write(counting, retries, tasks)
    late, still = _not_counted(closings, {(row.tenant, row.key): row.state for row in rows}, counted)
    if late:
        yield from _keep_evidence(late)
    return Closings(counted, late, still, list(retries.values()), wait)


def _succeed(closings: Sequence[Closing], first: Sequence[Closing]) -> Move[Closings]:
    """Close runs that are all said to have succeeded: of nearly all that end nothing has to be read first."""
    tenants = [closing.tenant for closing in first]
    closing = CLOSE_SUCCESSES(
        keys=[closing.key for closing in first],
        tenants=tenants,
        closers=[closing.by for closing in first],
        results=[bounded(closing.result) for closing in first],
        crumbs=[bounded(closing.crumb) for closing in first],
    )
    (places,) = yield Batch((closing,))
    whole = len(places) == len(first)
    counted = first if whole else [first[abs(place.n) - 1] for place in closing.read(places)]
    wait = (yield from _free(counted)) if counted else None
    if places and min(places) < (0,):
        yield from ask(recovered([first[-place.n - 1] for place in closing.read(places) if place.n < 0]))
    if len(counted) == len(closings):
        return Closings(list(counted), wait=wait)
    # What did not count is closed, which is final, or unknown: to see which takes no lock.
    found = yield from ask(READ_ROWS(keys=[c.key for c in first], tenants=tenants))
    late, still = _not_counted(closings, {(row.tenant, row.key): row.state for row in found}, counted)
    if late:
        yield from _keep_evidence(late)
    return Closings(list(counted), late, still, wait=wait)


def _free(counted: Sequence[Closing]) -> Move[timedelta | None]:
    """Free what waited for runs that have closed, and for no others; see `_wait`."""
    tenants, tasks = [closing.tenant for closing in counted], [closing.task for closing in counted]
    return _wait((yield from ask(FREE_WAITERS(tenants=tenants, tasks=tasks))))


def _wait(freed: Sequence[FreedRow]) -> timedelta | None:
    """How long it is until the first of the rows set free may start."""
    return min([row.run_at - row.moment for row in freed], default=None)


def _not_counted(
    closings: Sequence[Closing], found: Mapping[tuple[str, UUID], str], counted: Sequence[Closing]
) -> tuple[list[Closing], list[Closing]]:
    """The finishes that came too late, and the closings whose run still runs; `found`: how each run stood."""
    done = {(closing.tenant, closing.key): closing for closing in counted}
    stands = dict(found) | {name: c.state for name, c in done.items()}
    still = [c for c in closings if stands.get((c.tenant, c.key)) == "running"]
    late = [
        c
        for c in closings
        if c.why == "finish"
        and c is not done.get((c.tenant, c.key))
        and not (c.again and stands.get((c.tenant, c.key)) == c.state)
    ]
    return late, still


def _may_retry(closing: Closing) -> bool:
    return closing.mint and (closing.state in FAILED or closing.why == "unhanded")


def _counts(row: RunRow, closing: Closing) -> bool:
    """Whether a closing counts: the row runs, and what is said of it holds under its lock."""
    if row.state != "running":
        return False
    if closing.why == "overdue":
        return row.deadline is not None and row.deadline <= row.moment
    if closing.why == "absent":
        return row.incarnation == closing.incarnation
    if closing.why == "unhanded":
        return row.handed is None and row.incarnation == closing.incarnation
    return True


def _retries(pairs: Sequence[Pair], tasks: dict[tuple[str, str], LockedTask]) -> Move[dict[UUID, NewRow]]:
    """The retries that closings mint, under the digest that is in force now."""
    wanted = [
        (row, closing, task)
        for row, closing in pairs
        if _may_retry(closing) and (task := tasks.get((row.tenant, row.task))) is not None and task.enabled
    ]
    if not wanted:
        return {}
    texts = yield from read_definitions([(task.tenant, task.digest) for _, _, task in wanted])
    minted = {}
    for row, closing, task in wanted:
        subject = Subject(task.tenant, task.task, task.digest, parse(texts[task.tenant, task.digest]))
        retry = next_attempt(row, subject, closing.state, unhanded=closing.why == "unhanded")
        if retry is not None:
            minted[row.key] = retry
    return minted


def _write(
    pairs: Sequence[Pair], retries: dict[UUID, NewRow], tasks: dict[tuple[str, str], LockedTask]
) -> Move[timedelta | None]:
    rows = [row for row, _ in pairs]
    # Who succeeded is said as it was; to look at each for more takes as long as all else that is said.
    said = [
        closing if closing.state == "succeeded" else _as_said(row, closing, retries.get(row.key), tasks)
        for row, closing in pairs
    ]
    failures = [
        0 if c.state == "succeeded" else _failures(row, c, row.key in retries)
        for row, c in zip(rows, said, strict=True)
    ]
    closing = CLOSE_RUNS(
        keys=[row.key for row in rows],
        tenants=[row.tenant for row in rows],
        states=[c.state for c in said],
        outcomes=[c.outcome or c.state for c in said],
        reasons=[c.reason for c in said],
        closers=[c.by for c in said],
        results=[bounded(c.result) for c in said],
        errors=[bounded(c.error) for c in said],
        crumbs=[bounded(c.crumb) for c in said],
        failures=failures,
    )
    freeing = FREE_WAITERS(tenants=[row.tenant for row in rows], tasks=[row.task for row in rows])
    _, answer, *_ = yield Batch((closing, freeing, *told(rows, said, failures, retries)))
    wait = _wait(freeing.read(answer))
    gone = [row for row, c in zip(rows, said, strict=True) if c.outcome == AGENT_GONE]
    if gone:
        yield from ask(NOTE_GONE(keys=[row.key for row in gone], tenants=[row.tenant for row in gone]))
    if not retries:
        return wait
    minted = list(retries.values())
    yield from adopt(minted, "retry", rows[0].moment)
    waits = [row.run_at - rows[0].moment for row in minted]
    return min(waits if wait is None else [*waits, wait])


def _as_said(
    row: RunRow,
    closing: Closing,
    retry: NewRow | None,
    tasks: dict[tuple[str, str], LockedTask],
) -> Closing:
    """The closing as written: a third hand-back is a failure; a task that is off says why nothing follows."""
    said = closing
    if closing.why == "unhanded":
        said = replace(closing, reason="unhanded")
        _, in_a_row = unhanded_before(row.history)
        if retry is None and in_a_row + 1 >= UNHANDED_IN_A_ROW:
            said = replace(closing, state="failed", reason=f"unhanded {UNHANDED_IN_A_ROW} times in a row")
    if _may_retry(closing) and retry is None:
        task = tasks.get((row.tenant, row.task))
        if task is None or not task.enabled:
            reasons = [reason for reason in (said.reason, _NO_RETRY) if reason is not None]
            return replace(said, reason="; ".join(reasons))
    return said


def _failures(row: RunRow, closing: Closing, retried: bool) -> int:
    """Slots failed in a row after a run that did not succeed, counted once its last attempt has failed."""
    return row.failures + 1 if closing.state in FAILED and not retried else row.failures


def _keep_evidence(late: Sequence[Closing]) -> Move[None]:
    yield from ask(
        ADD_EVIDENCE(
            by=late[0].by or f"incarnation {late[0].incarnation}",
            keys=[c.key for c in late],
            tenants=[c.tenant for c in late],
            whats=["late finish"] * len(late),
            details=[bounded(f"{c.state}: {c.error or c.result or ''}") for c in late],
        )
    )
