"""The asyncio driver: runs a move on a psycopg connection; the same moves, the same transaction."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from psycopg.pq import TransactionStatus

from ledger.driver.connect import AsyncConnection, AsyncCursor
from ledger.driver.transaction import Scope, Transaction, Wire, part, transaction
from ledger.moves.step import Answer, Move, RawRows

R = TypeVar("R")


async def arun(connection: AsyncConnection, move: Move[R], scope: Scope) -> R:
    """Run a move as a transaction of its own; a cancelled caller rolls it back.

    The connection of one is closed: psycopg leaves it in its pipeline, or sure of statements that the server
    has never prepared. So is one that an error has left in a transaction.
    """
    try:
        return await _perform(connection, transaction(move, scope))
    except asyncio.CancelledError:
        await connection.close()
        raise
    except BaseException:
        if connection.info.transaction_status != TransactionStatus.IDLE:
            await connection.close()
        raise


async def arun_within(connection: AsyncConnection, move: Move[R], scope: Scope) -> R:
    """Run a move on a caller's connection: inside the transaction it is in, or one it begins by itself."""
    idle = connection.info.transaction_status == TransactionStatus.IDLE
    if idle and connection.autocommit:
        return await arun(connection, move, scope)
    return await _perform(connection, part(move, scope))


async def _perform(connection: AsyncConnection, steps: Transaction[R]) -> R:
    try:
        wire = next(steps)
        while True:
            try:
                answer = await _send(connection, wire)
            except BaseException as error:  # noqa: BLE001 - handed to the transaction, which raises it again
                wire = steps.throw(error)
            else:
                wire = steps.send(answer)
    except StopIteration as done:
        result: R = done.value
        return result
    finally:
        steps.close()


async def _send(connection: AsyncConnection, wire: Wire) -> Answer:
    cursors = [AsyncCursor(connection) for _ in wire]
    if len(wire) == 1:
        await cursors[0].execute(*wire[0])
    else:
        async with connection.pipeline():
            for cursor, (sql, params) in zip(cursors, wire, strict=True):
                await cursor.execute(sql, params)
    return [await _rows(cursor) for cursor in cursors]


async def _rows(cursor: AsyncCursor) -> RawRows:
    # Not `description`: it makes an object of each column.
    return await cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else ()
