"""A dispatcher in the test's own process, and ears for what it says: tests wait for sayings, not for time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg

from dispatcher import Dispatcher, Registry
from dispatcher.deliveries.protocol import Delivery
from dispatcher.loop import Settings
from ledger import Ledger

TENANT = "acme"
# Beyond it a test hangs, and says so.
PATIENCE_S = 20.0
# Nothing is found by the tick in a test that says nothing of it.
SETTINGS = Settings(tick_s=PATIENCE_S * 2, period_s=PATIENCE_S * 2, look_s=PATIENCE_S * 2, grace_s=PATIENCE_S)


class Ears:
    """Hears all that a dispatcher says, in order."""

    def __init__(self) -> None:
        self.said: list[tuple[str, dict[str, object]]] = []
        self._more = asyncio.Event()

    def __call__(self, what: str, facts: dict[str, object]) -> None:
        self.said.append((what, facts))
        self._more.set()

    def all(self, what: str, **facts: object) -> list[dict[str, object]]:
        """Every saying of that kind with those facts, so far."""
        return [heard for said, heard in self.said if said == what and facts.items() <= heard.items()]

    async def hear(self, what: str, times: int = 1, **facts: object) -> dict[str, object]:
        """Wait until something was said so often, with these facts among others; the last of it."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while len(heard := self.all(what, **facts)) < times:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            lines = "\n".join(f"  {said} {heard}" for said, heard in self.said[-30:])
            raise AssertionError(f"never heard {what!r} {facts}, but:\n{lines}") from None
        return heard[times - 1]


class Book:
    """The test's own look at the ledger, and what it does to it behind the dispatcher's back."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        # The dispatcher lives in this very thread: a test that waited for its lock would wait for ever.
        self.connection = psycopg.connect(dsn, autocommit=True, options="-c lock_timeout=5s")
        self.ledger = Ledger(dsn)
        self._lead_s = 0.05

    def close(self) -> None:
        self.ledger.close()
        self.connection.close()

    def sql(self, text: str, *params: object) -> list[tuple[object, ...]]:
        cursor = self.connection.execute(text.encode(), params)
        return cursor.fetchall() if cursor.description else []

    def due(self, task: str, entrypoint: str = "job", *, tenant: str = TENANT, **members: object) -> UUID:
        """Define a daily task whose first slot comes at once; that slot's key.

        On a busy machine the slot may have come before the act: then the task is defined anew, later.
        """
        mine = self.ledger.tenant(tenant)
        while True:
            first = self.now() + timedelta(seconds=self._lead_s)
            whole = {
                "entrypoint": entrypoint,
                "payload": {"task": task},
                "schedule": {"every_s": 86_400, "anchor": first.isoformat()},
                **members,
            }
            acted = mine.define(task, whole)
            if acted.next == first and acted.key is not None:
                return acted.key
            mine.delete(task)
            self._lead_s *= 2

    def now(self) -> datetime:
        ((moment,),) = self.sql("SELECT clock_timestamp()")
        assert isinstance(moment, datetime)
        return moment.astimezone(UTC)

    def one(self, text: str, *params: object) -> object:
        ((value,),) = self.sql(text, *params)
        return value

    def row(self, key: UUID, columns: str) -> tuple[object, ...]:
        (row,) = self.sql(f"SELECT {columns} FROM ledger.occurrence WHERE key = %s", key)  # noqa: S608
        return row

    def state(self, key: UUID) -> object:
        return self.row(key, "state")[0]

    def open_rows(self, task: str) -> int:
        """Open series rows of a task: one, whatever became of its runs (I4)."""
        return self.one(
            "SELECT count(*) FROM ledger.occurrence"
            " WHERE task = %s AND lane = 'series' AND state = 'pending'",
            task,
        )


@asynccontextmanager
async def at_work(
    dsn: str,
    registry: Registry | None,
    settings: Settings = SETTINGS,
    ears: Ears | None = None,
    deliveries: Mapping[str, Delivery] | None = None,
) -> AsyncIterator[tuple[Dispatcher, Ears]]:
    """A running dispatcher, active; stopped cleanly at the end, unless it has ended before."""
    ears = ears or Ears()
    dispatcher = Dispatcher(dsn, registry, settings, deliveries=deliveries, listener=ears)
    running = asyncio.create_task(dispatcher.run())
    hearing = asyncio.create_task(ears.hear("state", state="active"))
    done, _ = await asyncio.wait([running, hearing], return_when=asyncio.FIRST_COMPLETED)
    try:
        for task in done:
            task.result()
        yield dispatcher, ears
    finally:
        hearing.cancel()
        dispatcher.stop()
        async with asyncio.timeout(PATIENCE_S * 2):
            await running
