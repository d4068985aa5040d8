"""Firing a row of the ledger now: the real claim, the real handler, the real finish, on the test's clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from dispatcher.outcome import Ending, raised, returned
from dispatcher.registry import Handler, Registry
from dispatcher.run import Run, Standing
from ledger.driver.aio import arun
from ledger.driver.connect import AsyncConnection, aconnect
from ledger.driver.transaction import Scope
from ledger.errors import BadInput
from ledger.moves import reads
from ledger.moves.adopt import SERIES
from ledger.moves.close import Closing, Closings, close
from ledger.moves.retry import attempt_of
from ledger.moves.step import Move, ask
from ledger.statements.reads import READ_TASK_OPEN, WholeRow
from ledger.testing.clock import for_acts_async, for_row
from projector.moves.decide import Started
from projector.moves.follow import Follows, follows
from projector.moves.start import claim_row

R = TypeVar("R")

_BY = "ledger.testing"
# Open rows of one task that are looked at.
_OPEN_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Fired:
    """What became of one row that was fired, as the ledger keeps it.

    `state` is `succeeded`, `failed` or `timed_out`; `skipped` or `pending`, with a `reason`, where a rule of
    the task kept it from running. `result` is what the handler returned, `raised` what it raised; `retry` is
    the key of the retry that followed, which `fire_key` fires. `next` is the slot that the series has open
    now; `ended` says that none is left.
    """

    tenant: str
    task: str
    key: UUID
    wake: str
    slot: datetime
    attempt: int
    state: str
    reason: str | None
    result: object
    error: str | None
    crumb: str | None
    raised: BaseException | None
    started: datetime | None
    closed: datetime | None
    retry: UUID | None
    retry_at: datetime | None
    next: datetime | None
    ended: bool


async def fire_series(dsn: str, registry: Registry, tenant: str, task: str, slots: int) -> list[Fired]:
    """Fire the next so many slots of a task, each when the one before has ended."""
    if slots < 1:
        raise BadInput(f"firing {slots} slots: ask for at least one", tenant=tenant, task=task)

    async def work(firing: _Firing) -> list[Fired]:
        return [await firing.fire(await firing.series_key(task)) for _ in range(slots)]

    return await _on(dsn, registry, tenant, work)


async def fire_row(dsn: str, registry: Registry, tenant: str, key: UUID) -> Fired:
    """Fire one open row by its key: a retry, a run asked for now, or a slot of the series."""

    async def work(firing: _Firing) -> Fired:
        return await firing.fire(key)

    return await _on(dsn, registry, tenant, work)


async def _on(dsn: str, registry: Registry, tenant: str, work: Callable[[_Firing], Awaitable[R]]) -> R:
    """Do work on a connection of its own that reads the test's clock."""
    connection = await aconnect(dsn, application="ledger testing")
    try:
        await for_acts_async(connection, tenant)
        return await work(_Firing(connection, registry, tenant))
    finally:
        await connection.close()


class _Firing:
    """One call's connection: rows are claimed, handed over and closed on it, on the test's clock."""

    def __init__(self, connection: AsyncConnection, registry: Registry, tenant: str) -> None:
        self._connection = connection
        self._registry = registry
        self._tenant = tenant

    async def _ask(self, move: Move[R]) -> R:
        """Run a move as the tenant."""
        return await arun(self._connection, move, Scope("tenant", self._tenant))

    async def _dispatch(self, move: Move[R]) -> R:
        return await arun(self._connection, move, Scope("dispatcher"))

    async def series_key(self, task: str) -> UUID:
        """The open row of a task's series. Raises `NotFound`, and `BadInput` where nothing of it is open."""
        shown = await self._ask(reads.show(self._tenant, task))
        rows = await self._ask(ask(READ_TASK_OPEN(tenant=self._tenant, task=task, n=_OPEN_MOST)))
        for row in rows:
            if row.lane == SERIES:
                return row.key
        why = "its series has ended: no slot is left" if shown.line.enabled else "it is off; enable it first"
        raise BadInput(f"firing the next slot: {why}", tenant=self._tenant, task=task)

    async def fire(self, key: UUID) -> Fired:
        """Claim a row at its time, hand it to its handler, write how that ended, and read what stands now."""
        row = (await self._ask(reads.explain(self._tenant, key))).row
        _check(row)
        await for_row(self._connection, row.run_at, row.tenant, row.task)
        claimed = await self._dispatch(claim_row(self._tenant, key, None))
        error, done = None, Closings()
        for what in claimed.started:
            key = what.key
            closing, error = await self._hand_over(what)
            done = await self._dispatch(close([closing]))
        row = (await self._ask(reads.explain(self._tenant, key))).row
        return _fired(row, error, done, await self._ask(follows(self._tenant, row.task)))

    async def _hand_over(self, what: Started) -> tuple[Closing, BaseException | None]:
        """Call the handler once the claim is committed, to its end or to its deadline (I17)."""
        definition, run = what.subject.definition, Run(what, Standing())
        handler = self._registry.get(definition.entrypoint)
        if handler is None:
            return _closing(run, Ending("failed", error=self._registry.unknown(definition.entrypoint))), None
        called = asyncio.ensure_future(_call(handler, run))
        await asyncio.wait({called}, timeout=(what.deadline - what.started).total_seconds())
        if not called.done():
            return await _time_out(run, called, definition.timeout_s), None
        error = called.exception()
        if error is not None and not isinstance(error, Exception):
            raise error
        return _closing(run, returned(called.result()) if error is None else raised(error)), error


def _check(row: WholeRow) -> None:
    """Refuse, before anything starts, a row that could not be fired."""
    where = {"tenant": row.tenant, "task": row.task, "key": str(row.key)}
    if row.delivery != "python":
        raise BadInput(
            f"firing a row of delivery {row.delivery!r}: it has no handler in this process", **where
        )
    if row.state != "pending":
        raise BadInput(f"firing a row: it is {row.state}; only a row that is open can start", **where)


async def _call(handler: Handler, run: Run) -> object:
    if handler.on_loop is not None:
        return await handler.on_loop(run)
    if handler.on_thread is not None:
        return await asyncio.to_thread(handler.on_thread, run)
    raise BadInput(f"the handler {handler.name!r} has nothing to call")


async def _time_out(run: Run, called: asyncio.Future[object], seconds: int) -> Closing:
    """Tell a handler that its time is over, and wait for its end, as a test wants to see it."""
    said = f"ran past its timeout of {seconds} s"
    run.cancelled.set(said)
    called.cancel()
    await asyncio.wait({called})
    return _closing(run, Ending("failed", error=said), timed_out=True)


def _closing(run: Run, ending: Ending, *, timed_out: bool = False) -> Closing:
    return Closing(
        run.tenant,
        run.task,
        run.key,
        "timed_out" if timed_out else ending.outcome,
        "overdue" if timed_out else "finish",
        by=_BY,
        result=ending.result,
        error=ending.error,
        crumb=run.crumb,
    )


def _fired(row: WholeRow, error: BaseException | None, done: Closings, then: Follows) -> Fired:
    retry = done.retries[0] if done.retries else None
    return Fired(
        row.tenant,
        row.task,
        row.key,
        row.wake,
        row.due,
        attempt_of(row.wake)[0] + 1,
        row.state,
        row.reason,
        None if row.result is None else json.loads(row.result),
        row.error,
        row.crumb,
        error,
        row.started,
        row.closed,
        None if retry is None else retry.key,
        None if retry is None else retry.run_at,
        then.next,
        then.ended,
    )
