"""The Python API's part of admission: what a tenant may have running, and whether it may start anything."""

from __future__ import annotations

from ledger.driver.migrate import in_force
from ledger.driver.pool import AsyncRuns, Runs
from ledger.driver.transaction import Scope
from ledger.moves.limits import Change, Keep, Limits, limits, read_change, read_limit_note, set_limits
from ledger.moves.settled import under


class HasLimits:
    """The limits of a `TenantLedger`'s tenant."""

    _runs: Runs
    _tenant: str
    _by: str

    def suspend(self, *, note: str | None = None) -> Limits:
        """Let nothing of the tenant start from now on: what comes due is skipped (`suspended`), what runs
        goes on, and the series go on after it. Raises `BadInput` for a note that is no printable text.
        """
        return self._limited(Change(suspended=True, note=read_limit_note(note)))

    def readmit(self, *, note: str | None = None) -> Limits:
        """End a suspension: the tenant's next slots start again."""
        return self._limited(Change(suspended=False, note=read_limit_note(note) or ""))

    def limit(
        self, *, cap: int | Keep | None = "keep", quota: int | Keep | None = "keep", note: str | None = None
    ) -> Limits:
        """Limit the tenant: `cap` runs at once, `quota` starts in a month of UTC (retries cost none); None:
        no limit.

        At its cap the tenant waits, and is started from again once a run has ended; over its quota slots are
        skipped (`quota`). What is not said stays. Raises `BadInput`.
        """
        return self._limited(read_change(cap, quota, note))

    def limits(self) -> Limits:
        """The limits of the tenant, who set them and when, and how much of them is used now."""
        return self._runs.run(limits(self._tenant), Scope("tenant", self._tenant))

    def _limited(self, change: Change) -> Limits:
        move = under(in_force(), set_limits(self._tenant, change, self._by))
        return self._runs.run(move, Scope("tenant", self._tenant))


class AsyncHasLimits:
    """The limits of an `AsyncTenantLedger`'s tenant."""

    _runs: AsyncRuns
    _tenant: str
    _by: str

    async def suspend(self, *, note: str | None = None) -> Limits:
        """Let nothing of the tenant start from now on; see `TenantLedger.suspend`."""
        return await self._limited(Change(suspended=True, note=read_limit_note(note)))

    async def readmit(self, *, note: str | None = None) -> Limits:
        """End a suspension; see `TenantLedger.readmit`."""
        return await self._limited(Change(suspended=False, note=read_limit_note(note) or ""))

    async def limit(
        self, *, cap: int | Keep | None = "keep", quota: int | Keep | None = "keep", note: str | None = None
    ) -> Limits:
        """Limit runs at once and starts in a month; see `TenantLedger.limit`."""
        return await self._limited(read_change(cap, quota, note))

    async def limits(self) -> Limits:
        """The limits of the tenant as they stand, and how much is used; see `TenantLedger.limits`."""
        return await self._runs.run(limits(self._tenant), Scope("tenant", self._tenant))

    async def _limited(self, change: Change) -> Limits:
        move = under(in_force(), set_limits(self._tenant, change, self._by))
        return await self._runs.run(move, Scope("tenant", self._tenant))
