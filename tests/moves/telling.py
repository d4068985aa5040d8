"""Closings that are told, and what is read of them: for the tests of events and of subscribers."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from ledger.moves.outbox import EventPage, events, number, read_kinds
from tests.moves.acting import TENANT, claim_all, defined, finished, folded
from tests.moves.stage import Stage, instant

NOON = instant("2026-06-01 12:00")
SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
ALL = read_kinds(None)
HOUR_LONG = {"every_s": 3600, "anchor": "2026-06-01T12:00:00Z"}


def asked(stage: Stage, task: str, schedule: dict[str, object] | None = None, **members: object) -> None:
    """Define a task whose work is its own; failures hold nothing back."""
    more = {"failure_backoff": "none", **members} if schedule is None else members
    defined(stage, task, folded(task, schedule, payload=task, **more))


def begun(stage: Stage, seconds: float) -> dict[str, UUID]:
    """The runs that a claim starts so long after noon, by their tasks."""
    stage.at(NOON + timedelta(seconds=seconds))
    return {run.subject.task: run.key for run in stage.run(claim_all()).started}


def ended(stage: Stage, key: UUID, how: str) -> None:
    stage.run(finished(key, how), "tenant", TENANT)


def read(stage: Stage, after: int, n: int = 100, tenant: str = TENANT) -> EventPage:
    stage.run(number(tenant), "tenant", tenant)
    return stage.run(events(tenant, after, ALL, n), "tenant", tenant)
