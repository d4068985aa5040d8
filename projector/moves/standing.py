"""Reads, after the locks, what the decision on each due row needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger.moves.adopt import SERIES, Subject, retry_lanes
from ledger.moves.step import Move, ask
from ledger.statements.occurrences import READ_ATTEMPTS, READ_CONTEXT, READ_LAST_STARTS, Context, DueRow
from ledger.states import FAILED
from projector.moves.decide import Standing, backs_off


def read_standings(rows: Sequence[DueRow], subjects: Sequence[Subject]) -> Move[list[Standing]]:
    """The standing of each row, in their order.

    A statement of its own after the claim's: a subselect within that one would read the snapshot from
    before its locks, and miss a run that began meanwhile.
    """
    if not rows:
        return []
    contexts = yield from ask(
        READ_CONTEXT(
            tenants=[row.tenant for row in rows],
            tasks=[row.task for row in rows],
            predecessors=[row.predecessor if row.lane == SERIES else None for row in rows],
        )
    )
    failures = [context.before_failures or 0 for context in contexts]
    yield from _read_retries(subjects, contexts, failures)
    starts = yield from _read_last_starts(subjects, failures)
    return [Standing(context.blocker, failures[i], starts.get(i)) for i, context in enumerate(contexts)]


def _read_retries(
    subjects: Sequence[Subject], contexts: Sequence[Context], failures: list[int]
) -> Move[None]:
    """A slot is judged by its last attempt: where the row before failed, its retries have the word."""
    slots: list[tuple[int, str, str, str, datetime]] = []
    for i, (subject, context) in enumerate(zip(subjects, contexts, strict=True)):
        if context.before_state in FAILED and context.before_due is not None:
            slots += [
                (i, subject.tenant, subject.task, lane, context.before_due)
                for lane in retry_lanes(subject.definition.retry.attempts, context.before_due)
            ]
    if not slots:
        return
    ns, tenants, tasks, lanes, dues = map(list, zip(*slots, strict=True))
    latest: dict[int, datetime] = {}
    for attempt in (
        yield from ask(READ_ATTEMPTS(ns=ns, tenants=tenants, tasks=tasks, lanes=lanes, dues=dues))
    ):
        if attempt.closed is not None and attempt.closed >= latest.get(attempt.n, attempt.closed):
            latest[attempt.n] = attempt.closed
            failures[attempt.n] = attempt.failures


def _read_last_starts(subjects: Sequence[Subject], failures: Sequence[int]) -> Move[dict[int, datetime]]:
    """When the series last started, for those that a failure holds back."""
    gated = [i for i, subject in enumerate(subjects) if failures[i] and backs_off(subject)]
    if not gated:
        return {}
    found = yield from ask(
        READ_LAST_STARTS(
            ns=gated, tenants=[subjects[i].tenant for i in gated], tasks=[subjects[i].task for i in gated]
        )
    )
    return {row.n: row.started for row in found}
