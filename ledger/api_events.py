"""The Python API's part of being told: a tenant's events, behind a cursor."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.driver.callers import AsyncWithin, Within
from ledger.driver.pool import AsyncRuns, Runs
from ledger.driver.transaction import Scope
from ledger.moves import outbox, reads
from ledger.moves.outbox import EventPage


class ReadsEvents:
    """What `TenantLedger` is told of closings."""

    _runs: Runs
    _tenant: str

    def events(
        self,
        cursor: str | None = None,
        *,
        kinds: Sequence[str] | str | None = None,
        limit: int = reads.PAGE,
    ) -> EventPage:
        """The closings that are told, in an order in which none is put behind a cursor later: a page of
        `limit` (to 1,000) behind that of the page before; without one, from the oldest kept.

        Failed, timed out and lost runs, skipped slots, and the first success after failures (`recovered`);
        `kinds` leaves only some, `skipped:overlap` those of one reason. Keep the `cursor`, also of a page
        without events. Inside a caller's transaction only what had its place in that order before is read.
        Raises `BadInput`.
        """
        behind, wanted = outbox.read_event_cursor(cursor), outbox.read_kinds(kinds)
        size, scope = reads.read_page_size(limit), Scope("tenant", self._tenant)
        if not isinstance(self._runs, Within):
            # Committed before it is read: a number that was taken back must not have been seen.
            self._runs.run(outbox.number(self._tenant), scope)
        return self._runs.run(outbox.events(self._tenant, behind, wanted, size), scope)


class AsyncReadsEvents:
    """What `AsyncTenantLedger` is told of closings."""

    _runs: AsyncRuns
    _tenant: str

    async def events(
        self,
        cursor: str | None = None,
        *,
        kinds: Sequence[str] | str | None = None,
        limit: int = reads.PAGE,
    ) -> EventPage:
        """The closings that are told, behind the cursor of the page before; see `TenantLedger.events`."""
        behind, wanted = outbox.read_event_cursor(cursor), outbox.read_kinds(kinds)
        size, scope = reads.read_page_size(limit), Scope("tenant", self._tenant)
        if not isinstance(self._runs, AsyncWithin):
            await self._runs.run(outbox.number(self._tenant), scope)
        return await self._runs.run(outbox.events(self._tenant, behind, wanted, size), scope)
