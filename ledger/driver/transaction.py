"""One transaction around one move, written once for both drivers.

`transaction` is itself a generator: it yields wires (statements to send together) and is sent their rows or
thrown their error. It owns what no move may decide: begin, role, tenant, limits, commit, rollback, and what
a database error means. A driver only sends wires, so the two drivers are a screen each.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

import psycopg
from psycopg import errors as pg

from ledger.errors import (
    Busy,
    LedgerError,
    Misconfigured,
    OutcomeUnknown,
    Unreachable,
    Violation,
)
from ledger.moves.step import Answer, Batch, Move, Savepoint, Step

R = TypeVar("R")

Role: TypeAlias = Literal["dispatcher", "sweeper", "tenant", "reader", "owner"]
Wire: TypeAlias = Sequence[tuple[bytes, Mapping[str, object] | None]]
Transaction: TypeAlias = Generator[Wire, Answer, R]


@dataclass(frozen=True, slots=True)
class Limits:
    """How long one transaction may wait and last, in milliseconds (I17)."""

    lock_ms: int = 5_000
    statement_ms: int = 30_000
    idle_ms: int = 10_000


@dataclass(frozen=True, slots=True)
class Scope:
    """As whom a move runs: its role, its tenant (None: a role over all tenants) and its limits."""

    role: Role
    tenant: str | None = None
    limits: Limits = field(default_factory=Limits)

    def settings(self) -> dict[str, object]:
        return {
            "role": f"ledger_{self.role}",
            "tenant": self.tenant or "",
            "lock": str(self.limits.lock_ms),
            "statement": str(self.limits.statement_ms),
            "idle": str(self.limits.idle_ms),
            "plans": "force_generic_plan",
        }


_BEGIN = b"BEGIN ISOLATION LEVEL READ COMMITTED"
_SET = b"""SELECT set_config('role', %(role)s, true), set_config('ledger.tenant', %(tenant)s, true),
       set_config('lock_timeout', %(lock)s, true), set_config('statement_timeout', %(statement)s, true),
       set_config('idle_in_transaction_session_timeout', %(idle)s, true),
       set_config('plan_cache_mode', %(plans)s, true)"""
_READ = b"""SELECT current_setting('role'), coalesce(current_setting('ledger.tenant', true), ''),
       current_setting('lock_timeout'), current_setting('statement_timeout'),
       current_setting('idle_in_transaction_session_timeout'), current_setting('plan_cache_mode'),
       current_setting('transaction_isolation')"""
_NAMES = ("role", "tenant", "lock", "statement", "idle", "plans")

_SAVEPOINT: Mapping[str, Sequence[bytes]] = {
    "open": (b"SAVEPOINT part",),
    "keep": (b"RELEASE SAVEPOINT part",),
    "undo": (b"ROLLBACK TO SAVEPOINT part", b"RELEASE SAVEPOINT part"),
}


_UNDO: Wire = ((b"ROLLBACK TO SAVEPOINT ledger", None), (b"RELEASE SAVEPOINT ledger", None))


def transaction(move: Move[R], scope: Scope) -> Transaction[R]:
    """Run a move as a transaction of its own. The connection is idle before and after.

    Raises what the move raises, after a rollback; `OutcomeUnknown` where the answer to COMMIT was lost.
    """
    head: Wire = ((_BEGIN, None), (_SET, scope.settings()))
    try:
        result = yield from _drive(move, head)
    except GeneratorExit:
        raise
    except BaseException:
        yield from _rollback()
        raise
    try:
        yield ((b"COMMIT", None),)
    except psycopg.OperationalError as error:
        if _lost(error):
            raise OutcomeUnknown(
                f"the connection was lost while COMMIT was awaited ({_short(error)}); "
                "do it again with the same facts"
            ) from error
        raise meaning(error) from error
    except psycopg.Error as error:
        raise meaning(error) from error
    except GeneratorExit:
        raise
    except BaseException:
        # The caller was cancelled: where COMMIT was not sent yet, nothing may be left open.
        yield from _rollback()
        raise
    return result


def part(move: Move[R], scope: Scope) -> Transaction[R]:
    """Run a move within the transaction that the caller's connection is in.

    All happens inside one savepoint. The settings that the move needs are put back as they were, since
    SET LOCAL outlives RELEASE; the caller commits or rolls back.
    """
    ((before,),) = yield from _told(((_READ, None),))
    *values, isolation = before
    if isolation != "read committed":
        raise Misconfigured(
            f"the caller's transaction is {isolation}; a move needs READ COMMITTED, "
            "to see the row that was first"
        )
    head: Wire = ((b"SAVEPOINT ledger", None), (_SET, scope.settings()))
    try:
        result = yield from _drive(move, head)
    except GeneratorExit:
        raise
    except BaseException as error:
        yield from _undo() if isinstance(error, Unreachable) else _told(_UNDO)
        raise
    yield from _told(((_SET, dict(zip(_NAMES, values, strict=True))), (b"RELEASE SAVEPOINT ledger", None)))
    return result


def _told(wire: Wire) -> Transaction[Answer]:
    """Send a wire of the driver's own; an error is raised as the decision that it leaves."""
    try:
        return (yield wire)
    except psycopg.Error as error:
        raise meaning(error) from error


def _drive(move: Move[R], head: Wire) -> Transaction[R]:
    """Send the steps of a move, the first together with `head`; answer errors into the move."""
    aborted = False
    try:
        step = next(move)
        while True:
            if aborted and step != Savepoint("undo"):
                raise RuntimeError(
                    "a move caught a database error outside a savepoint: its transaction is dead"
                )
            try:
                answer = yield (*head, *_wire(step))
            except psycopg.Error as error:
                head, aborted = (), True
                step = move.throw(meaning(error))
                continue
            answer, head, aborted = answer[len(head) :], (), False
            step = move.send(answer)
    except StopIteration as done:
        if aborted:
            raise RuntimeError("a move caught a database error outside a savepoint and returned") from None
        if head:
            yield head
        result: R = done.value
        return result
    finally:
        move.close()


def _wire(step: Step) -> Wire:
    if isinstance(step, Batch):
        return [(call.statement.sql, call.params) for call in step.calls]
    return [(sql, None) for sql in _SAVEPOINT[step.verb]]


def _rollback() -> Transaction[Answer]:
    return _undo(((b"ROLLBACK", None),))


def _undo(wire: Wire = _UNDO) -> Transaction[Answer]:
    try:
        return (yield wire)
    except psycopg.Error:
        # The connection is gone, and the transaction with it; the first error is the one to tell.
        return ()


def _lost(error: psycopg.Error) -> bool:
    return error.sqlstate is None or error.sqlstate[:2] in ("08", "57")


def _short(error: psycopg.Error) -> str:
    return " ".join((error.diag.message_primary or str(error) or type(error).__name__).split())


_WAITED = (pg.LockNotAvailable, pg.QueryCanceled, pg.DeadlockDetected, pg.SerializationFailure)
_NO_ROOM = (pg.DiskFull, pg.OutOfMemory)
_NO_SCHEMA = (pg.UndefinedTable, pg.InvalidSchemaName, pg.UndefinedColumn, pg.UndefinedFunction)


def meaning(error: psycopg.Error) -> LedgerError:
    """The decision that a database error leaves to the caller."""
    said = _short(error)
    found: LedgerError
    if isinstance(error, _WAITED):
        found = Busy(f"the database did not come to it in time ({said}); nothing was changed, try again")
    elif isinstance(error, _NO_ROOM):
        found = Busy(f"the database is out of room ({said}); nothing was changed, try again once it has some")
    elif isinstance(error, pg.InsufficientPrivilege):
        found = Misconfigured(f"{said}; grant the role, or connect as a user that may take it")
    elif isinstance(error, _NO_SCHEMA):
        found = Misconfigured(f"{said}; run `ledger migrate` on this database")
    elif isinstance(error, pg.ReadOnlySqlTransaction):
        found = Unreachable(f"the database takes no writes ({said}); nothing was changed, try again later")
    elif isinstance(error, pg.InFailedSqlTransaction):
        found = Misconfigured(f"{said}; roll the caller's transaction back first")
    elif isinstance(error, pg.IntegrityError):
        found = Violation(f"refused by the database: {said}", constraint=error.diag.constraint_name)
    elif isinstance(error, psycopg.OperationalError) and (_lost(error) or error.sqlstate == "53300"):
        found = Unreachable(f"the database cannot be reached ({said}); nothing was changed, try again later")
    else:
        found = LedgerError(f"the database refused the statement ({error.sqlstate}: {said})")
    # Whoever must tell a lock that did not come from a statement out of time finds the database's code here.
    found.__cause__ = error
    return found
