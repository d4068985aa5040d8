"""What a move is made of.

A move is a generator that is one transaction. It yields steps and is sent what the database answered;
it never sees a connection, a clock or a random number. Because it only yields, one text serves the sync
and the async driver, `yield from` composes two moves into one transaction, and a test can step two moves
on two connections through every order of their statements.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

RawRows: TypeAlias = Sequence[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Statement(Generic[R_co]):
    """One file of `ledger/sql`; calling it binds its parameters.

    `fields` are the columns of its answer, in order; `make` builds a row of them.
    """

    name: str
    sql: bytes
    fields: tuple[str, ...]
    make: Callable[[Iterable[object]], R_co]

    def __call__(self, **params: object) -> Call[R_co]:
        return Call(self, params)


@dataclass(frozen=True, slots=True)
class Call(Generic[R_co]):
    """A statement with its parameters."""

    statement: Statement[R_co]
    params: Mapping[str, object]

    def read(self, raw: RawRows) -> list[R_co]:
        make = self.statement.make
        return [make(row) for row in raw]


@dataclass(frozen=True, slots=True)
class Batch:
    """Calls sent together: one pipeline, one turn on the network; answered by a list of row lists."""

    calls: Sequence[Call[object]]


@dataclass(frozen=True, slots=True)
class Savepoint:
    """Opens, keeps or undoes a part of the transaction."""

    verb: Literal["open", "keep", "undo"]


Step: TypeAlias = Batch | Savepoint
Answer: TypeAlias = Sequence[RawRows]
Move: TypeAlias = Generator[Step, Answer, R]


def ask(call: Call[R]) -> Move[list[R]]:
    """One statement, its rows."""
    (raw,) = yield Batch((call,))
    return call.read(raw)


def within_savepoint(move: Move[R], *, keep: bool = True) -> Move[R]:
    """Run a part of a move so that its error, or all it did (`keep=False`), is undone.

    An error of the part is raised on to the caller after the part has been undone, so the caller may catch
    it and go on. Catching a database error anywhere else is a bug that the driver reports.
    """
    yield Savepoint("open")
    try:
        result = yield from move
    except GeneratorExit:
        raise
    except BaseException:
        yield Savepoint("undo")
        raise
    yield Savepoint("keep" if keep else "undo")
    return result
