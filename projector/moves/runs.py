"""Runs of the platform's own runtime: it starts a row by its key, does the work, and finishes the row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from ledger.errors import NotStarted
from ledger.moves.close import Closing, Report, finish, superseded
from ledger.moves.retry import attempt_of
from ledger.moves.step import Move
from projector.moves.follow import follows
from projector.moves.start import start


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that began with this call: all that its worker needs, and what the series does next.

    `attempt` counts from 1. `lateness` is how long after `slot` it started. The run must be finished before
    `deadline`, by the database's clock; later it is closed as timed out.
    """

    tenant: str
    task: str
    key: UUID
    wake: str
    slot: datetime
    started: datetime
    deadline: datetime
    lateness: timedelta
    attempt: int
    entrypoint: str
    payload: object
    next: datetime | None
    ended: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """What a report did: the run's closing, the retry it minted, and what the series does next."""

    task: str
    key: UUID
    state: str
    retry: UUID | None
    retry_at: datetime | None
    next: datetime | None
    ended: bool


def begin(tenant: str, key: UUID) -> Move[Begun | NotStarted]:
    """Start one due row, its successor projected in the same transaction; answers as `start` does."""
    run = yield from start(tenant, key)
    if isinstance(run, NotStarted):
        return run
    then = yield from follows(tenant, run.subject.task)
    definition = run.subject.definition
    return Begun(
        tenant=tenant,
        task=run.subject.task,
        key=run.key,
        wake=run.wake,
        slot=run.due,
        started=run.started,
        deadline=run.deadline,
        lateness=run.started - run.due,
        attempt=attempt_of(run.wake)[0] + 1,
        entrypoint=definition.entrypoint,
        payload=definition.payload,
        next=then.next,
        ended=then.ended,
    )


def begun(answer: Begun | NotStarted) -> Begun:
    """The run that began. Raises the `NotStarted` that was answered."""
    if isinstance(answer, NotStarted):
        raise answer
    return answer


def report(tenant: str, key: UUID, said: Report, by: str) -> Move[Finished | Closing]:
    """Finish one run; a closing that came too late, kept as evidence, is answered as such.

    It is answered, not raised, because raising would roll back the evidence: `counted` raises it once the
    transaction has been committed.
    """
    closings = yield from finish(tenant, key, said, by)
    for late in closings.late:
        return late
    (row,) = closings.counted
    then = yield from follows(tenant, row.task)
    retry = closings.retries[0] if closings.retries else None
    return Finished(
        row.task,
        key,
        said.outcome,
        retry.key if retry else None,
        retry.run_at if retry else None,
        then.next,
        then.ended,
    )


def counted(answer: Finished | Closing) -> Finished:
    """The answer of a finish that counted. Raises `Superseded` for one that came too late."""
    if isinstance(answer, Closing):
        raise superseded(answer)
    return answer
