"""Two moves on two connections, a statement at a time, through every order of their statements.

Each side runs the product's own `transaction` around its move, on a thread of its own, and does nothing until
it is told to take a step. A step that waits for the other side's lock is seen from a third connection, in the
server's own list of who blocks whom; then only the other side can go on. So the tree of orders is searched
whole: at each point where both sides can move, both are tried.

What cannot matter is no step of its own, and goes with the statement after it: BEGIN, the settings and
savepoints, which take no lock and read no row; the look up of a row by its key, of which a move takes only
what never changes (whose it is), or what it holds already; and a statement over tables of which the other
side has none, which gives the same before and after each of the other's steps.
"""

from __future__ import annotations

import queue
import random
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import psycopg

from ledger.driver.connect import Cursor, SyncConnection
from ledger.driver.transaction import Scope, Transaction, Wire, transaction
from ledger.moves.step import Move, RawRows
from ledger.statements.occurrences import READ_ROWS

R = TypeVar("R")
# What a side may take to be seen as done or as waiting; beyond it a test hangs, and says so.
PATIENCE_S = 20.0
_TABLE = re.compile(r"(?:FROM|JOIN|INTO|UPDATE) ledger\.(\w+)")
_LIGHT = (b"BEGIN", b"SELECT set_config", b"SAVEPOINT", b"RELEASE", b"NOTIFY", b"ROLLBACK TO")
_LOOK_UP = READ_ROWS.sql


class Side(Generic[R]):
    """One move on one connection: stepped, never running by itself."""

    def __init__(self, connection: SyncConnection) -> None:
        self.connection = connection
        self.pid = connection.info.backend_pid
        self._turns: queue.SimpleQueue[Callable[[], Iterator[None]] | None] = queue.SimpleQueue()
        self._go = threading.Semaphore(0)
        self._rested = threading.Event()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()
        self.finished = True
        self.answer: object = None
        self.sent: list[str] = []
        # The tables that the other side's statements name; all, until they are known.
        self.shared: frozenset[str] | None = None
        self.tables: set[str] = set()

    def begin(self, move: Move[R], scope: Scope) -> None:
        """Ready to take the first step."""
        self.finished, self.answer, self.sent, self.tables = False, None, [], set()
        self._rested.clear()
        self._turns.put(lambda: self._play(transaction(move, scope)))
        assert self._rested.wait(PATIENCE_S)

    def play(self, move: Move[R], scope: Scope) -> object:
        """The whole move, with nothing beside it; its answer, or its error."""
        self.begin(move, scope)
        while not self.finished:
            self.step()
            assert self.rested(PATIENCE_S), f"hangs by itself: {self.sent[-1]}"
        return self.answer

    def step(self) -> None:
        """Send the next statement; `rested` tells when it is answered."""
        self._rested.clear()
        self._go.release()

    def rested(self, seconds: float = 0.0) -> bool:
        return self._rested.wait(seconds)

    def close(self) -> None:
        self._turns.put(None)
        self._thread.join(PATIENCE_S)

    def _live(self) -> None:
        while (turn := self._turns.get()) is not None:
            for _ in turn():
                self._rested.set()
                self._go.acquire()
            self._rested.set()

    def _play(self, steps: Transaction[R]) -> Iterator[None]:
        """Run the transaction, resting before each statement that can matter."""
        try:
            wire = next(steps)
            while True:
                try:
                    answer = yield from self._send(wire)
                except psycopg.Error as error:
                    wire = steps.throw(error)
                else:
                    wire = steps.send(answer)
        except StopIteration as done:
            self.answer = done.value
        except Exception as error:  # noqa: BLE001 - an error is an answer too, and is judged as one
            self.answer = error
        finally:
            steps.close()
            self.finished = True

    def _send(self, wire: Wire) -> Iterator[None]:
        answers: list[RawRows] = []
        for sql, params in wire:
            tables = set(_TABLE.findall(sql.decode()))
            self.tables |= tables
            alone = self.shared is not None and bool(tables) and not tables & self.shared
            if not (alone or sql == _LOOK_UP or sql.startswith(_LIGHT)):
                yield
            self.sent.append(title(sql))
            cursor = Cursor(self.connection)
            cursor.execute(sql, params)
            answers.append(cursor.fetchall() if cursor.description else ())
        return answers


def title(sql: bytes) -> str:
    """A statement as `Side.sent` names it: how its header begins."""
    first = sql.decode().strip().splitlines()[0]
    return first.removeprefix("-- ")[:60]


@dataclass
class Order:
    """One order as it was taken: who stepped, what both answered, and which statements had to wait."""

    steps: str
    answers: tuple[object, object]
    choices: list[bool] = field(default_factory=list)
    waited: set[tuple[int, str]] = field(default_factory=set)


def every_order(
    sides: tuple[Side[object], Side[object]],
    eye: SyncConnection,
    ready: Callable[[], tuple[Move[object], Move[object]]],
    scopes: tuple[Scope, Scope],
) -> Iterator[Order]:
    """Each order of the two moves' statements, once; `ready` puts the database back and makes the moves.

    The search is a walk down a tree that is not known before: an order is replayed up to the last point where
    another choice is left, and takes that one.
    """
    taken: list[bool] = []
    while True:
        order = _run(sides, eye, ready(), scopes, taken)
        yield order
        taken = order.choices
        while taken and taken[-1]:
            taken.pop()
        if not taken:
            return
        taken[-1] = True


def random_orders(
    sides: tuple[Side[object], Side[object]],
    eye: SyncConnection,
    ready: Callable[[], tuple[Move[object], Move[object]]],
    scopes: tuple[Scope, Scope],
    rng: random.Random,
) -> Iterator[Order]:
    """Orders by chance, without end, of two moves that have too many of them to try each."""
    while True:
        yield _run(sides, eye, ready(), scopes, [rng.random() < 0.5 for _ in range(60)])


def _run(
    sides: tuple[Side[object], Side[object]],
    eye: SyncConnection,
    moves: tuple[Move[object], Move[object]],
    scopes: tuple[Scope, Scope],
    taken: list[bool],
) -> Order:
    for side, move, scope in zip(sides, moves, scopes, strict=True):
        side.begin(move, scope)
    choices: list[bool] = []
    waited: set[tuple[int, str]] = set()
    steps = ""
    while not all(side.finished for side in sides):
        free = [n for n, side in enumerate(sides) if side.rested() and not side.finished]
        if not free:
            # Each waits for the other: the server breaks the ring by refusing one of them.
            assert any(side.rested(PATIENCE_S) for side in sides if not side.finished), f"stuck after {steps}"
            steps += "!"
            _settle(sides, eye)
            continue
        turn = free[0]
        if len(free) == 2:
            second = taken[len(choices)] if len(choices) < len(taken) else False
            choices.append(second)
            turn = int(second)
        sides[turn].step()
        steps += "ab"[turn]
        for n in _settle(sides, eye):
            steps += "'"
            waited.add((n, sides[n].sent[-1]))
    return Order(steps, (sides[0].answer, sides[1].answer), choices, waited)


def _settle(sides: tuple[Side[object], Side[object]], eye: SyncConnection) -> list[int]:
    """Wait until each side has its answer, or is seen to wait for a lock; which ones do."""
    waiting = []
    for n, side in enumerate(sides):
        for look in range(10_000):
            if side.rested(0.0005 if look == 0 else 0.005):
                break
            if _waits(eye, side.pid, sides[1 - n].pid):
                # Seen waiting; unless the lock came free between the look and now.
                if not side.rested():
                    waiting.append(n)
                break
        else:
            raise AssertionError(f"a step neither ends nor waits: {side.sent[-1]}")
    return waiting


def _waits(eye: SyncConnection, pid: int, other: int) -> bool:
    """Whether the other side is in its way; a vacuum that cuts a table's end is there for a moment only."""
    (blocked,) = eye.execute("SELECT %s = ANY (pg_blocking_pids(%s))", (other, pid)).fetchone() or (False,)
    return bool(blocked)
