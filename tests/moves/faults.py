"""Errors at the driver's place: instead of what it sends, or after it was done and before it is told.

They come from the server itself, so the connection and its transaction are as after a real one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from select import select

import psycopg
from psycopg.pq import TransactionStatus

from ledger.driver.connect import SyncConnection
from ledger.driver.transaction import Wire
from ledger.errors import Busy, OutcomeUnknown, Unreachable
from ledger.moves.step import Answer

Send = Callable[[SyncConnection, Wire], Answer]


@dataclass(frozen=True)
class Fault:
    """What goes wrong, when, and the decision that is left to the caller."""

    name: str
    sqlstate: str | None
    after: bool
    raises: tuple[type[BaseException], ...]

    def at_commit(self) -> tuple[type[BaseException], ...]:
        if self.name.startswith("the connection"):
            return (OutcomeUnknown,)
        # The driver takes a cancel during COMMIT for an outcome that is not known, which is on the safe side.
        return (*self.raises, OutcomeUnknown) if self.sqlstate == "57014" else self.raises


class Cancelled(BaseException):
    """What asyncio throws into a task that is cancelled, or a person into a program."""


FAULTS = (
    Fault("a lock did not come in time", "55P03", False, (Busy,)),
    Fault("the statement was cancelled", "57014", False, (Busy,)),
    Fault("a deadlock", "40P01", False, (Busy,)),
    Fault("a serialization failure", "40001", False, (Busy,)),
    Fault("the disk is full", "53100", False, (Busy,)),
    Fault("the disk is full at the end", "53100", True, (Busy,)),
    Fault("the connection is ended before", None, False, (Unreachable,)),
    Fault("the connection is ended before the answer", None, True, (Unreachable,)),
    Fault("the caller is cancelled", None, False, (Cancelled, asyncio.CancelledError)),
    Fault("the caller is cancelled at the end", None, True, (Cancelled, asyncio.CancelledError)),
)


class Injector:
    """Sends as the driver does, and throws one fault at one of its turns."""

    def __init__(self, send: Send, eye: SyncConnection) -> None:
        self.send, self.eye = send, eye
        self.turn, self.at = 0, -1
        self.fault: Fault | None = None
        self.committing = self.aborted = False

    def set(self, fault: Fault | None, at: int) -> None:
        self.fault, self.at, self.turn = fault, at, 0
        self.committing = self.aborted = False

    def __call__(self, connection: SyncConnection, wire: Wire) -> Answer:
        turn, self.turn = self.turn, self.turn + 1
        if self.fault is None or turn != self.at:
            return self.send(connection, wire)
        if wire[0][0] == b"ROLLBACK":
            # The move has said already what it is refused for. The server never refuses this, and of a caller
            # who is cancelled once more the pool closes the connection: so only its loss is tried.
            self.aborted = True
            if not self.fault.name.startswith("the connection"):
                return self.send(connection, wire)
        self.committing = wire[0][0] == b"COMMIT"
        if self.fault.sqlstate is not None:
            return self._refuse(connection, wire, self.fault)
        answer = self.send(connection, wire) if self.fault.after else None
        if self.fault.name.startswith("the caller"):
            raise Cancelled
        self.eye.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
        # The server says farewell before it goes, and lets go of its locks last of all.
        assert select([connection.fileno()], [], [], 10)[0]
        pid = (connection.info.backend_pid,)
        self.eye.execute("SELECT pg_advisory_lock(%s)", pid)
        self.eye.execute("SELECT pg_advisory_unlock(%s)", pid)
        if answer is None:
            return self.send(connection, wire)
        connection.close()
        raise psycopg.OperationalError("the server closed the connection before its answer was read")

    def _refuse(self, connection: SyncConnection, wire: Wire, fault: Fault) -> Answer:
        # On the way back to a savepoint the server refuses everything, by a word of its own.
        self.aborted = connection.info.transaction_status == TransactionStatus.INERROR
        if self.committing:
            connection.execute("INSERT INTO stage.refusal VALUES (%s)", (fault.sqlstate,))
            return self.send(connection, wire)
        if fault.after:
            self.send(connection, wire)
        connection.execute("SELECT stage.fail(%s)", (fault.sqlstate,))
        raise AssertionError("the server did not fail")
