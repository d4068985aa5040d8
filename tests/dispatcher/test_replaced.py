"""A run that gives way: its handler is told by the very claim that starts what replaces it."""

from __future__ import annotations

import asyncio
from uuid import UUID

from dispatcher import Registry, Run
from tests.dispatcher.desk import TENANT, Book, at_work


async def test_the_handler_of_a_replaced_run_is_told_at_once(book: Book, registry: Registry) -> None:
    """I7: no round of housekeeping comes in this test; the claim itself tells."""
    begun: list[UUID] = []
    told: list[str | None] = []

    @registry.handler("job")
    async def job(run: Run) -> None:
        begun.append(run.key)
        if len(begun) > 1:
            return
        try:
            await asyncio.Event().wait()
        finally:
            told.append(run.cancelled.reason)

    async with at_work(book.dsn, registry) as (dispatcher, ears):
        task = {"entrypoint": "job", "schedule": {"every_s": 1}, "overlap": "replace"}
        book.ledger.tenant(TENANT).define("t", task)
        await ears.hear("run written")
        dispatcher.stop()
        await ears.hear("stopping", running=0)
        assert [heard["key"] for heard in ears.all("run taken away")] == [begun[0]]
    assert told == ["its run was closed by someone else"]
    rows = book.sql("SELECT state, reason FROM ledger.occurrence WHERE started IS NOT NULL ORDER BY due")
    assert rows[:2] == [("cancelled", f"replaced by {begun[1]}"), ("succeeded", None)]
    assert book.sql("SELECT * FROM ledger.evidence") == []
    assert book.open_rows("t") == 1
