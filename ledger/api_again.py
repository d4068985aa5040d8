"""The Python API's part of doing again: slots that went by without a run, and rows once more."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar, Unpack
from uuid import UUID

from ledger.driver.migrate import in_force
from ledger.driver.pool import AsyncRuns, Runs
from ledger.driver.transaction import Scope
from ledger.facts import read_identifier
from ledger.moves.settled import under
from ledger.moves.step import Move
from projector import door
from projector.asking import Bounds, read_range, read_wish
from projector.moves.backfill import (
    BackfillCancelled,
    Backfilled,
    backfill,
    cancel_backfill,
    rehearse_backfill,
)
from projector.moves.rerun import Reran, RerunCancelled, cancel_rerun, rehearse_rerun, rerun
from projector.sought import Narrowing

R = TypeVar("R")


class RunsAgain:
    """What `TenantLedger` runs again."""

    _runs: Runs
    _tenant: str
    _by: str

    def backfill(
        self,
        task: str,
        request: str,
        since: datetime | str,
        until: datetime | str | None = None,
        **bounds: Unpack[Bounds],
    ) -> Backfilled:
        """Run the slots of a task in [`since`, `until`) that have not run, beside its series, oldest first.

        Without `until` those up to now. `request` is an id of the caller's, once per task: a second call
        answers the same backfill, and lets it go on where the task was off meanwhile. `at_once` of its runs
        (1) run at a time; with `again=True` also slots run that have run. Which slots it will be is fixed by
        this call. Raises `NotFound`, `Disabled`, and `BadInput` for a range that is not over, begins before
        the kept history, or has more than 10,000 slots.
        """
        wanted = read_range(task, request, (since, until), **bounds)
        return self._do(backfill(self._tenant, wanted, self._by))

    def rehearse_backfill(
        self,
        task: str,
        request: str,
        since: datetime | str,
        until: datetime | str | None = None,
        **bounds: Unpack[Bounds],
    ) -> Backfilled:
        """What `backfill` would run; nothing of it is kept."""
        wanted = read_range(task, request, (since, until), **bounds)
        return self._do(rehearse_backfill(self._tenant, wanted, self._by))

    def cancel_backfill(self, task: str, request: str, *, reason: str | None = None) -> BackfillCancelled:
        """Cancel a backfill as a whole: what is open, what runs, what was to come. Raises `NotFound`."""
        name, asked_as = read_identifier(task, "task"), read_identifier(request, "request")
        why = door.read_reason(reason)
        return self._do(cancel_backfill(self._tenant, name, asked_as, self._by, why))

    def rerun(
        self,
        request: str,
        *,
        keys: Iterable[UUID | str] | UUID | str | None = None,
        task: str | None = None,
        at_once: int = 1,
        **sought: Unpack[Narrowing],
    ) -> Reran:
        """Run closed rows once more: those of `keys`, or else those that are sought, as `history` finds them.

        Without `states` those that failed, timed out or were lost. Each slot runs once, under the definition
        in force, however many of its attempts are found; one with an attempt that is open, or has succeeded
        since, is left out and counted. `request` is an id of the caller's, once per tenant: a second call
        answers the same rerun. `at_once` of its rows (1) run at a time. Raises `NotFound`, and `BadInput` for
        more than 1,000 rows.
        """
        wish = read_wish(request, keys, task, at_once, sought)
        return self._do(rerun(self._tenant, wish, self._by))

    def rehearse_rerun(
        self,
        request: str,
        *,
        keys: Iterable[UUID | str] | UUID | str | None = None,
        task: str | None = None,
        at_once: int = 1,
        **sought: Unpack[Narrowing],
    ) -> Reran:
        """What `rerun` would run; nothing of it is kept."""
        wish = read_wish(request, keys, task, at_once, sought)
        return self._do(rehearse_rerun(self._tenant, wish, self._by))

    def cancel_rerun(self, request: str, *, reason: str | None = None) -> RerunCancelled:
        """Cancel a rerun as a whole: its rows that are open or run, and their retries. Raises `NotFound`."""
        name, why = read_identifier(request, "request"), door.read_reason(reason)
        return self._do(cancel_rerun(self._tenant, name, self._by, why))

    def _do(self, move: Move[R]) -> R:
        return self._runs.run(under(in_force(), move), Scope("tenant", self._tenant))


class AsyncRunsAgain:
    """What `AsyncTenantLedger` runs again."""

    _runs: AsyncRuns
    _tenant: str
    _by: str

    async def backfill(
        self,
        task: str,
        request: str,
        since: datetime | str,
        until: datetime | str | None = None,
        **bounds: Unpack[Bounds],
    ) -> Backfilled:
        """Run the slots of [`since`, `until`) that have not run; see `TenantLedger.backfill`."""
        wanted = read_range(task, request, (since, until), **bounds)
        return await self._do(backfill(self._tenant, wanted, self._by))

    async def rehearse_backfill(
        self,
        task: str,
        request: str,
        since: datetime | str,
        until: datetime | str | None = None,
        **bounds: Unpack[Bounds],
    ) -> Backfilled:
        """As `TenantLedger.rehearse_backfill`."""
        wanted = read_range(task, request, (since, until), **bounds)
        return await self._do(rehearse_backfill(self._tenant, wanted, self._by))

    async def cancel_backfill(
        self, task: str, request: str, *, reason: str | None = None
    ) -> BackfillCancelled:
        """Cancel a backfill as a whole; see `TenantLedger.cancel_backfill`."""
        name, asked_as = read_identifier(task, "task"), read_identifier(request, "request")
        why = door.read_reason(reason)
        return await self._do(cancel_backfill(self._tenant, name, asked_as, self._by, why))

    async def rerun(
        self,
        request: str,
        *,
        keys: Iterable[UUID | str] | UUID | str | None = None,
        task: str | None = None,
        at_once: int = 1,
        **sought: Unpack[Narrowing],
    ) -> Reran:
        """Run closed rows once more, each slot once; see `TenantLedger.rerun`."""
        wish = read_wish(request, keys, task, at_once, sought)
        return await self._do(rerun(self._tenant, wish, self._by))

    async def rehearse_rerun(
        self,
        request: str,
        *,
        keys: Iterable[UUID | str] | UUID | str | None = None,
        task: str | None = None,
        at_once: int = 1,
        **sought: Unpack[Narrowing],
    ) -> Reran:
        """As `TenantLedger.rehearse_rerun`."""
        wish = read_wish(request, keys, task, at_once, sought)
        return await self._do(rehearse_rerun(self._tenant, wish, self._by))

    async def cancel_rerun(self, request: str, *, reason: str | None = None) -> RerunCancelled:
        """Cancel a rerun as a whole; see `TenantLedger.cancel_rerun`."""
        name, why = read_identifier(request, "request"), door.read_reason(reason)
        return await self._do(cancel_rerun(self._tenant, name, self._by, why))

    async def _do(self, move: Move[R]) -> R:
        return await self._runs.run(under(in_force(), move), Scope("tenant", self._tenant))
