"""The sync driver: runs a move on a psycopg connection."""

from __future__ import annotations

from typing import TypeVar

from psycopg.pq import TransactionStatus

from ledger.driver.connect import Cursor, SyncConnection
from ledger.driver.transaction import Scope, Transaction, Wire, part, transaction
from ledger.moves.step import Answer, Move, RawRows

R = TypeVar("R")


def run(connection: SyncConnection, move: Move[R], scope: Scope) -> R:
    """Run a move as a transaction of its own.

    Raises what the move raises, and the errors of `transaction`. A connection that cannot be brought back,
    as after an interrupt within a pipeline, is closed, and the server rolls back.
    """
    try:
        return _perform(connection, transaction(move, scope))
    except BaseException:
        if connection.info.transaction_status != TransactionStatus.IDLE:
            connection.close()
        raise


def run_within(connection: SyncConnection, move: Move[R], scope: Scope) -> R:
    """Run a move on a caller's connection: inside the transaction it is in, or one it begins by itself.

    A connection in autocommit with no transaction open gets one of the move's own.
    """
    idle = connection.info.transaction_status == TransactionStatus.IDLE
    if idle and connection.autocommit:
        return run(connection, move, scope)
    return _perform(connection, part(move, scope))


def _perform(connection: SyncConnection, steps: Transaction[R]) -> R:
    try:
        wire = next(steps)
        while True:
            try:
                answer = _send(connection, wire)
            except BaseException as error:  # noqa: BLE001 - handed to the transaction, which raises it again
                wire = steps.throw(error)
            else:
                wire = steps.send(answer)
    except StopIteration as done:
        result: R = done.value
        return result
    finally:
        steps.close()


def _send(connection: SyncConnection, wire: Wire) -> Answer:
    cursors = [Cursor(connection) for _ in wire]
    if len(wire) == 1:
        cursors[0].execute(*wire[0])
    else:
        with connection.pipeline():
            for cursor, (sql, params) in zip(cursors, wire, strict=True):
                cursor.execute(sql, params)
    return [_rows(cursor) for cursor in cursors]


def _rows(cursor: Cursor) -> RawRows:
    # Not `description`: it makes an object of each column.
    return cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else ()
