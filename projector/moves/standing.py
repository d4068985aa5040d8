"""Reads, after the locks, what the decision on each due row needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ledger.facts import instant_text
from ledger.moves.adopt import SERIES, Subject
from ledger.moves.step import Call, Move, ask
from ledger.statements.occurrences import READ_ATTEMPTS, READ_CONTEXT, READ_LAST_STARTS, Context, DueRow
from ledger.statements.overlap import READ_WAITS
from ledger.states import FAILED
from projector.moves.decide import Standing, backs_off
from projector.moves.hints import Hints
from projector.moves.project import grace_of

# How the first run of a slot may have closed where another attempt followed: a failure, or handed back.
_TRIED_AGAIN = FAILED | {"cancelled"}


def contexts_of(rows: Sequence[DueRow]) -> Call[Context]:
    """The statement that reads the context of each row, in their order, for a pipeline.

    A statement of its own after the claim's: a subselect within that one would read the snapshot from
    before its locks, and miss a run that began meanwhile.
    """
    return READ_CONTEXT(
        tenants=[row.tenant for row in rows],
        tasks=[row.task for row in rows],
        predecessors=[row.predecessor if row.lane == SERIES else None for row in rows],
    )


def read_standings(
    rows: Sequence[DueRow], subjects: Sequence[Subject], contexts: Sequence[Context], hints: Hints
) -> Move[list[Standing]]:
    """The standing of each row, in their order, from its context and its task's hints."""
    failures = [context.before_failures or 0 for context in contexts]
    yield from _read_retries(rows, contexts, failures)
    starts = yield from _read_last_starts(subjects, failures)
    waits = yield from _read_waits(rows, subjects)
    return [
        Standing(
            context.blocker, failures[i], starts.get(i), hints.get((row.tenant, row.task), ()), waits.get(i)
        )
        for i, (row, context) in enumerate(zip(rows, contexts, strict=True))
    ]


def _read_retries(rows: Sequence[DueRow], contexts: Sequence[Context], failures: list[int]) -> Move[None]:
    """A slot is judged by its last attempt: where the row before has failed, its retries have the word."""
    slots = [
        (i, row.tenant, row.task, instant_text(context.before_due), context.before_due)
        for i, (row, context) in enumerate(zip(rows, contexts, strict=True))
        if context.before_state in _TRIED_AGAIN and context.before_due is not None
    ]
    if not slots:
        return
    ns, tenants, tasks, texts, dues = map(list, zip(*slots, strict=True))
    last = yield from ask(READ_ATTEMPTS(ns=ns, tenants=tenants, tasks=tasks, slots=texts, dues=dues))
    for attempt in last:
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


def _read_waits(
    rows: Sequence[DueRow], subjects: Sequence[Subject]
) -> Move[dict[int, tuple[datetime, datetime]]]:
    """From when until when rows waited, of those whose author lets them wait and bounds their lateness."""
    queued = [
        i
        for i, subject in enumerate(subjects)
        if subject.definition.overlap == "queue" and grace_of(subject.definition) is not None
    ]
    if not queued:
        return {}
    keys, tenants = [rows[i].key for i in queued], [rows[i].tenant for i in queued]
    found = yield from ask(READ_WAITS(ns=queued, keys=keys, tenants=tenants))
    return {wait.n: (wait.queued, wait.freed) for wait in found}
