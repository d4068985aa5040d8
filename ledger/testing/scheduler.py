"""What a test is given: the tenants' doors on its own database, and rows fired now, sync or async."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TypeVar
from uuid import UUID

from dispatcher.registry import Registry
from ledger import AsyncTenantLedger, TenantLedger
from ledger.driver.aio import arun
from ledger.driver.connect import aconnect, connect
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import BadInput
from ledger.facts import read_identifier
from ledger.moves.step import Move
from ledger.testing.clock import for_acts, for_acts_async
from ledger.testing.firing import Fired, fire_row, fire_series
from projector.door import read_key

R = TypeVar("R")


class Scheduler:
    """A ledger in a test's hands: define tasks through `tenant`, then fire their rows instead of waiting.

    `fire` runs what a dispatcher would run, by the same moves and handlers, each row at its own time: its
    connection reads the database's clock as far ahead as the row's `run_at` lies. What a tenant's door does
    afterwards comes after the latest of the tenant's runs; the slots of other tasks wait to be fired.
    A handler that opens connections of its own is at the real time there.
    """

    def __init__(self, dsn: str, registry: Registry) -> None:
        self.dsn = dsn
        self.registry = registry

    def tenant(self, tenant: str, *, by: str = "test") -> TenantLedger:
        """The door of one tenant, as `Ledger.tenant`."""
        return TenantLedger(_Alone(self.dsn), read_identifier(tenant, "tenant"), by)

    def fire(self, tenant: str, task: str, slots: int = 1) -> Sequence[Fired]:
        """Run the next so many slots of a task now, one after the other; what became of each, in order.

        What a handler raises is the run's failure, as it would be in production: it stands in `raised`.
        Raises `NotFound` for a task that never was, and `BadInput` where the task is off, its series has
        ended, or it is not delivered to handlers of this process.
        """
        return _wait(fire_series(self.dsn, self.registry, tenant, task, slots))

    def fire_key(self, tenant: str, key: UUID | str) -> Fired:
        """Run one open row now, by its key: a retry (`Fired.retry`), or a request (`run_now(...).key`).

        Raises `NotFound`, and `BadInput` for a row that is not open.
        """
        return _wait(fire_row(self.dsn, self.registry, tenant, read_key(key)))


class AsyncScheduler:
    """The same for asyncio, in the loop of the test."""

    def __init__(self, dsn: str, registry: Registry) -> None:
        self.dsn = dsn
        self.registry = registry

    def tenant(self, tenant: str, *, by: str = "test") -> AsyncTenantLedger:
        """The door of one tenant, as `AsyncLedger.tenant`."""
        return AsyncTenantLedger(_AsyncAlone(self.dsn), read_identifier(tenant, "tenant"), by)

    async def fire(self, tenant: str, task: str, slots: int = 1) -> Sequence[Fired]:
        """As `Scheduler.fire`."""
        return await fire_series(self.dsn, self.registry, tenant, task, slots)

    async def fire_key(self, tenant: str, key: UUID | str) -> Fired:
        """As `Scheduler.fire_key`."""
        return await fire_row(self.dsn, self.registry, tenant, read_key(key))


class _Alone:
    """Runs each move on a connection of its own: nothing is left open where a test ends early."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    def run(self, move: Move[R], scope: Scope) -> R:
        with connect(self._dsn, application="ledger testing") as connection:
            for_acts(connection, scope.tenant or "")
            return run(connection, move, scope)


class _AsyncAlone:
    """The same for asyncio."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    async def run(self, move: Move[R], scope: Scope) -> R:
        async with await aconnect(self._dsn, application="ledger testing") as connection:
            await for_acts_async(connection, scope.tenant or "")
            return await arun(connection, move, scope)


def _wait(firing: Coroutine[object, object, R]) -> R:
    """Run in a loop of the call's own, which leaves the process's alone. Raises `BadInput` within a loop."""
    if _in_a_loop():
        firing.close()
        raise BadInput("firing in a coroutine: take the fixture `async_scheduler` and await its `fire`")
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        return runner.run(firing)


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
