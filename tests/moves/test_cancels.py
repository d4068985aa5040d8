"""The asyncio driver cancelled: a caller cancelled in the middle of any turn leaves nothing half done.

The cancel is a real one, delivered while the driver waits for the server (I17).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from psycopg.pq import TransactionStatus

from ledger.driver import aio
from ledger.driver.connect import AsyncConnection, aconnect
from ledger.driver.transaction import Wire
from ledger.moves.step import Answer
from tests.moves.catalogue import CATALOGUE
from tests.moves.stage import Stage

Send = Callable[[AsyncConnection, Wire], Awaitable[Answer]]


class Canceller:
    """Cancels the task that runs a move, at one of its turns."""

    def __init__(self, send: Send) -> None:
        self.send, self.turn, self.at = send, 0, -1

    async def __call__(self, connection: AsyncConnection, wire: Wire) -> Answer:
        turn, self.turn = self.turn, self.turn + 1
        if turn == self.at:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        return await self.send(connection, wire)


@pytest.mark.parametrize("name", ["define many", "claim of all kinds", "failing finish", "sweep"])
async def test_a_cancel_at_every_turn(stage: Stage, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    canceller = Canceller(aio._send)
    monkeypatch.setattr(aio, "_send", canceller)
    entry = CATALOGUE[name]
    make = entry.set_up(stage)
    stage.keep()
    before = stage.state()
    connection = await _connect(stage)
    # Twice: the first time reads what a process then keeps, and so has turns of its own.
    for _ in range(2):
        stage.restore()
        canceller.turn = 0
        await aio.arun(connection, make(), entry.scope)
    after, turns = stage.state(), canceller.turn
    cancelled = 0
    for turn in range(turns):
        stage.restore()
        canceller.turn, canceller.at = 0, turn
        task = asyncio.ensure_future(aio.arun(connection, make(), entry.scope))
        await asyncio.wait([task])
        cancelled += task.cancelled()
        assert stage.state() in (before, after), f"cancelled at turn {turn}: something between"
        if connection.closed:
            connection = await _connect(stage)
        assert connection.info.transaction_status == TransactionStatus.IDLE
        canceller.at = -1
        await aio.arun(connection, make(), entry.scope)
    await connection.close()
    print(f"{name}: cancelled at {cancelled} of {turns} turns")
    assert cancelled == turns


async def _connect(stage: Stage) -> AsyncConnection:
    connection = await aconnect(stage.dsn, application="ledger test")
    await connection.execute(
        "SELECT set_config('stage.now', %s, false), set_config('stage.clock', %s, false)",
        (stage.now.isoformat(), stage.clock.isoformat()),
    )
    return connection
