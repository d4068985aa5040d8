"""The Python API for asyncio: `AsyncLedger` has the methods of `Ledger`, to be awaited.

The two are thin and say the same; what a method does and raises is written once, in `ledger.api_tenant`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import TypeVar, Unpack
from uuid import UUID

from ledger.api_again import AsyncRunsAgain
from ledger.api_events import AsyncReadsEvents
from ledger.api_limits import AsyncHasLimits
from ledger.driver.callers import AsyncWithin
from ledger.driver.migrate import in_force
from ledger.driver.pool import AioPool, AsyncPool, AsyncRuns
from ledger.driver.transaction import Scope
from ledger.facts import read_identifier
from ledger.moves import reads
from ledger.moves.expel import expel, read_incarnation, read_why
from ledger.moves.reads import Explained, Page, Pull, Shown, TaskLine
from ledger.moves.settled import under
from ledger.moves.step import Move
from ledger.statements.presence import Expelled
from ledger.statements.reads import Occurrence
from ledger.states import Outcome
from projector import door
from projector.door import TaskLike
from projector.moves.asked import asked
from projector.moves.cancel import Cancelled, cancel
from projector.moves.change import Acted, Wanted
from projector.moves.edit import edit, read_patch
from projector.moves.hint import Hinted, hint, withdraw
from projector.moves.pause import Pause, pause, resume
from projector.moves.rehearse import Rehearsed, rehearse_edit
from projector.moves.request import Requested, run_now
from projector.moves.runs import Begun, Finished, begin, begun, counted, report
from projector.moves.trail import HintKind
from projector.moves.upcoming import Upcoming, read_count, upcoming
from projector.moves.why_not import WhyNot, read_minute, why_not
from projector.sought import Narrowing, read_sought, read_sought_tasks

R = TypeVar("R")


class AsyncLedger:
    """The ledger on one database, for asyncio; `Ledger` says what `target` may be.

    A pool made here belongs to the event loop of its first call.
    """

    def __init__(self, target: str | AioPool | None = None) -> None:
        found = os.environ.get("LEDGER_DSN") or None if target is None else target
        self._pool = None if found is None else AsyncPool(found)

    def tenant(self, tenant: str, *, by: str = door.BY) -> AsyncTenantLedger:
        """The door of one tenant; see `Ledger.tenant`."""
        return AsyncTenantLedger(self._runs(), read_identifier(tenant, "tenant"), door.read_by(by))

    def on(self, connection: object) -> AsyncLedgerOn:
        """The ledger inside the transaction that a psycopg `AsyncConnection` of the caller's is in.

        See `Ledger.on`. SQLAlchemy: `raw = await (await session.connection()).get_raw_connection()`, then
        `raw.driver_connection`.
        """
        return AsyncLedgerOn(connection)

    async def expel(self, incarnation: int, *, why: str, by: str = door.BY) -> Expelled:
        """End the presence of a process that hangs; see `Ledger.expel`."""
        move = expel(read_incarnation(incarnation), door.read_by(by), read_why(why))
        return await self._runs().run(under(in_force(), move), Scope("dispatcher"))

    async def close(self) -> None:
        """Close the ledger's own pool; a pool that was handed in stays open."""
        if self._pool is not None:
            await self._pool.close()

    async def __aenter__(self) -> AsyncLedger:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _runs(self) -> AsyncPool:
        # Without a DSN there are callers' connections still; here one is needed, and asked for.
        return self._pool or AsyncPool(None)


class AsyncLedgerOn:
    """The ledger inside a caller's transaction; made by `AsyncLedger.on`."""

    def __init__(self, connection: object) -> None:
        self._within = AsyncWithin(connection)

    def tenant(self, tenant: str, *, by: str = door.BY) -> AsyncTenantLedger:
        """The door of one tenant, inside the caller's transaction."""
        return AsyncTenantLedger(self._within, read_identifier(tenant, "tenant"), door.read_by(by))


class AsyncTenantLedger(AsyncHasLimits, AsyncReadsEvents, AsyncRunsAgain):
    """What one tenant may ask of the ledger; made by `AsyncLedger.tenant`. See `TenantLedger`."""

    def __init__(self, runs: AsyncRuns, tenant: str, by: str) -> None:
        self._runs = runs
        self._tenant = tenant
        self._by = by

    def on(self, connection: object) -> AsyncTenantLedger:
        """The same door inside the transaction of a caller's `AsyncConnection`; see `AsyncLedger.on`."""
        return AsyncTenantLedger(AsyncWithin(connection), self._tenant, self._by)

    # --- What is asked for ------------------------------------------------------------------

    async def define(
        self,
        task: str,
        what: TaskLike,
        *,
        enabled: bool = True,
        allow_duplicate: bool = False,
        note: str = "",
    ) -> Acted:
        """Define a task, or replace the whole object of one that exists; see `TenantLedger.define`."""
        wanted = door.defining(task, what, enabled=enabled, allow_duplicate=allow_duplicate)
        return (await self._act([wanted], note))[0]

    async def define_many(
        self,
        tasks: Mapping[str, TaskLike],
        *,
        enabled: bool = True,
        allow_duplicate: bool = False,
        note: str = "",
    ) -> Sequence[Acted]:
        """Define many tasks in one transaction, all or nothing; see `TenantLedger.define_many`."""
        wanted = [
            door.defining(task, what, enabled=enabled, allow_duplicate=allow_duplicate)
            for task, what in tasks.items()
        ]
        return await self._act(wanted, note)

    async def edit(self, task: str, patch: Mapping[str, object], *, note: str = "") -> Acted:
        """Change single members by an RFC 7396 merge patch; see `TenantLedger.edit`."""
        return await self._change(
            edit(
                self._tenant, read_identifier(task, "task"), read_patch(patch), self._by, door.read_note(note)
            )
        )

    async def rehearse_edit(self, task: str, patch: Mapping[str, object]) -> Rehearsed:
        """As `TenantLedger.rehearse_edit`."""
        return await self._change(
            rehearse_edit(self._tenant, read_identifier(task, "task"), read_patch(patch), self._by)
        )

    async def enable(self, task: str, *, allow_duplicate: bool = False, note: str = "") -> Acted:
        """Switch a task on; its series resumes from now. Raises `NotFound`, `DuplicateTask`."""
        return (await self._act([door.wanting(task, "enable", allow_duplicate=allow_duplicate)], note))[0]

    async def disable(self, task: str, *, note: str = "") -> Acted:
        """Switch a task off: what is open retires, what runs goes on. Raises `NotFound`."""
        return (await self._act([door.wanting(task, "disable")], note))[0]

    async def delete(self, task: str, *, note: str = "") -> Acted:
        """Delete a task: what is open retires, what runs goes on, its history stays. Raises `NotFound`."""
        return (await self._act([door.wanting(task, "delete")], note))[0]

    async def hint(
        self,
        task: str,
        *,
        every: int | str | timedelta | None = None,
        at: datetime | str | None = None,
        expires: int | str | timedelta | datetime,
        note: str = "",
    ) -> Hinted:
        """Say when a task should run next, beside its rule; see `TenantLedger.hint`."""
        wish = door.reading_hint(every, at, expires)
        return await self._change(
            hint(self._tenant, read_identifier(task, "task"), wish, self._by, door.read_note(note))
        )

    async def withdraw_hint(self, task: str, kind: HintKind) -> Hinted:
        """Take back the `interval` or `oneshot` hint of a task. Raises `NotFound`, `BadInput`."""
        name = read_identifier(task, "task")
        return await self._change(withdraw(self._tenant, name, door.read_kind(kind), self._by))

    async def pause(self, task: str, until: datetime | str, *, note: str = "", at_end: bool = False) -> Acted:
        """Hold a task's series back until an instant, by an edit; see `TenantLedger.pause`."""
        asked_for = Pause(door.read_moment(until, "until"), at_end)
        return await self._change(
            pause(self._tenant, read_identifier(task, "task"), asked_for, self._by, door.read_note(note))
        )

    async def resume(self, task: str) -> Acted:
        """End the pause of a task now; of one that is not paused nothing is changed. Raises `NotFound`."""
        return await self._change(resume(self._tenant, read_identifier(task, "task"), self._by))

    async def run_now(self, task: str, request: str) -> Requested:
        """Run a task now, outside its series, once for each `request`; see `TenantLedger.run_now`."""
        return await self._change(
            run_now(
                self._tenant, read_identifier(task, "task"), read_identifier(request, "request"), self._by
            )
        )

    async def cancel(self, key: UUID | str, *, reason: str | None = None) -> Cancelled:
        """Cancel an occurrence, open or running; see `TenantLedger.cancel`."""
        return await self._change(
            cancel(self._tenant, door.read_key(key), self._by, door.read_reason(reason))
        )

    # --- Runs of the platform's own runtime -------------------------------------------------

    async def due(self, *, limit: int = reads.PAGE) -> Sequence[Pull]:
        """The rows of delivery `pull` that may start now, oldest first, at most `limit` (to 1,000)."""
        return await self._run(reads.due(self._tenant, reads.read_page_size(limit)))

    async def start(self, key: UUID | str) -> Begun:
        """Start a due row by its key; then the work is the caller's. See `TenantLedger.start`."""
        return begun(await self._change(begin(self._tenant, door.read_key(key))))

    async def finish(
        self,
        key: UUID | str,
        outcome: Outcome,
        *,
        result: object = None,
        error: str | None = None,
        crumb: str | None = None,
    ) -> Finished:
        """Report how a run ended; raises `Superseded` where that came too late. See `TenantLedger.finish`."""
        said = door.reading_report(outcome, result, error, crumb)
        return counted(await self._change(report(self._tenant, door.read_key(key), said, self._by)))

    # --- Questions --------------------------------------------------------------------------

    async def list(
        self,
        *,
        cursor: str | None = None,
        limit: int = reads.PAGE,
        **sought: Unpack[Narrowing],
    ) -> Page[TaskLine]:
        """The tasks by name, a page at a time, all or those sought; see `TenantLedger.list`."""
        wanted = read_sought_tasks(sought)
        return await self._run(
            reads.list_tasks(
                self._tenant, wanted, reads.read_task_cursor(cursor), reads.read_page_size(limit)
            )
        )

    async def show(self, task: str) -> Shown:
        """A task: its object in force, its switch, its newest acts, its open rows. Raises `NotFound`."""
        return await self._run(reads.show(self._tenant, read_identifier(task, "task")))

    async def upcoming(
        self, task: str | None = None, *, count: int | None = None, until: datetime | str | None = None
    ) -> Sequence[Upcoming]:
        """Runs to come, soonest first: open rows, then computed slots; see `TenantLedger.upcoming`."""
        end = door.read_until(until)
        return await self._run(upcoming(self._tenant, door.read_name(task), read_count(count, end), end))

    async def history(
        self,
        task: str | None = None,
        *,
        cursor: str | None = None,
        limit: int = reads.PAGE,
        **sought: Unpack[Narrowing],
    ) -> Page[Occurrence]:
        """Rows that run or are closed, latest slot first; see `TenantLedger.history`."""
        wanted = read_sought(sought)
        return await self._run(
            reads.history(
                self._tenant,
                door.read_name(task),
                wanted,
                reads.read_history_cursor(cursor),
                reads.read_page_size(limit),
            )
        )

    async def explain(self, key: UUID | str) -> Explained:
        """All that the ledger knows of an occurrence; see `TenantLedger.explain`."""
        return await self._run(reads.explain(self._tenant, door.read_key(key)))

    async def why_not(self, task: str, time: datetime | str) -> WhyNot:
        """Why a task did not run in the minute of a time, or why it did; see `TenantLedger.why_not`."""
        minute = read_minute(door.read_moment(time, "time"))
        return await self._run(why_not(self._tenant, read_identifier(task, "task"), minute))

    async def _act(self, wanted: Sequence[Wanted], note: str) -> Sequence[Acted]:
        return await self._change(asked(self._tenant, wanted, self._by, door.read_note(note)))

    async def _change(self, move: Move[R]) -> R:
        return await self._run(under(in_force(), move))

    async def _run(self, move: Move[R]) -> R:
        return await self._runs.run(move, Scope("tenant", self._tenant))
