"""Four layers stand between one slot and two effects; each holds with any of those above it switched off.

1. A claim passes by what another claim holds. 2. A start counts only while its row is pending, and commits
before anything is handed over (I7, I17). 3. What is handed over is noted first, by the process that the run
belongs to and by no other. 4. The handler claims its effect within the effect's own transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple, TypeVar
from uuid import UUID

import psycopg
import pytest

from ledger import claim_once
from ledger.driver.connect import SyncConnection, connect
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.moves import handing
from ledger.moves.presence import register
from ledger.moves.step import Statement
from ledger.statements.handing import NOTE_HANDED
from ledger.statements.occurrences import CLAIM_DUE, READ_CONTEXT, START_ROWS
from projector.moves import start
from projector.moves.start import Claimed
from tests.dispatcher.desk import TENANT, Book
from tests.dispatcher.stands import hook
from tests.moves.stepping import PATIENCE_S, Side, title

R = TypeVar("R")

MACHINE = Scope("dispatcher")
# The last statement that a claim decides by, as a side keeps it.
DECIDING = title(READ_CONTEXT.sql)
SUBSETS = [off for n in range(5) for off in combinations((1, 2, 3, 4), n)]


class Fired(NamedTuple):
    """How many of two processes got so far with one slot."""

    claimed: int
    started: int
    sent: int
    effects: int


def without(statement: Statement[R], *guards: str) -> Statement[R]:
    """A statement that lacks some of its words; that they are there is looked at."""
    sql = statement.sql.decode()
    for guard in guards:
        assert sql.count(guard) == 1, f"{statement.name} has no such guard: {guard}"
        sql = sql.replace(guard, "")
    return replace(statement, sql=sql.encode())


class Race:
    """Two processes that come to one due row at the same time."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.connections: tuple[SyncConnection, SyncConnection] = (connect(book.dsn), connect(book.dsn))
        self.lives = [run(each, register("slot", "host"), MACHINE) for each in self.connections]
        book.sql("CREATE TABLE public.effect (key uuid)")

    def fire(self, *, claiming: bool) -> Fired:
        """Let both claim, then both hand over what they think is theirs; `claiming`: handlers claim it."""
        hook(self.book, "http://127.0.0.1/")
        self.book.sql("UPDATE ledger.occurrence SET run_at = now() WHERE state = 'pending'")
        sides = self._claim()
        begun = [
            (life, run.key)
            for life, side in zip(self.lives, sides, strict=True)
            if isinstance(side.answer, Claimed)
            for run in side.answer.started
        ]
        sent = [key for life, key in begun if self._note(life, key)]
        for key in sent:
            self._handle(key, claiming)
        effects = self.book.one("SELECT count(*) FROM public.effect")
        assert isinstance(effects, int)
        return Fired(sum(DECIDING in side.sent for side in sides), len(begun), len(sent), effects)

    def _claim(self) -> list[Side[Claimed]]:
        """Both read all that decides before one of them has written; then the one, and after it the other."""
        sides: list[Side[Claimed]] = [Side(connection) for connection in self.connections]
        try:
            for side, life in zip(sides, self.lives, strict=True):
                side.begin(start.claim(["http"], 10, life), MACHINE)
                while not (side.finished or DECIDING in side.sent):
                    self._step(side)
            for side in sides:
                while not side.finished:
                    self._step(side)
        finally:
            for side in sides:
                side.close()
        return sides

    def _step(self, side: Side[Claimed]) -> None:
        side.step()
        assert side.rested(PATIENCE_S), side.sent

    def _note(self, life: int, key: UUID) -> bool:
        return key in run(self.connections[0], handing.note_handed(TENANT, [key], [life]), MACHINE)

    def _handle(self, key: UUID, claiming: bool) -> None:
        with psycopg.connect(self.book.dsn) as connection:
            if not claiming or claim_once(connection, key):
                connection.execute("INSERT INTO public.effect VALUES (%s)", (key,))


@pytest.fixture
def race(book: Book) -> Iterator[Race]:
    made = Race(book)
    yield made
    for connection in made.connections:
        connection.close()


@pytest.mark.parametrize("off", SUBSETS, ids=lambda off: "without " + ("".join(map(str, off)) or "none"))
def test_the_first_layer_that_is_on_stops_the_second_of_two(
    off: tuple[int, ...], race: Race, monkeypatch: pytest.MonkeyPatch
) -> None:
    if 1 in off:
        locks = ("   FOR NO KEY UPDATE OF t SKIP LOCKED\n", "   FOR UPDATE OF o SKIP LOCKED\n")
        monkeypatch.setattr(start, "CLAIM_DUE", without(CLAIM_DUE, *locks))
    if 2 in off:
        monkeypatch.setattr(start, "START_ROWS", without(START_ROWS, "o.state = 'pending' AND "))
    if 3 in off:
        whose = " AND o.incarnation = ANY (%(lives)b::integer[])"
        monkeypatch.setattr(handing, "NOTE_HANDED", without(NOTE_HANDED, whose))
    fired = race.fire(claiming=4 not in off)
    first_on = min({1, 2, 3, 4} - set(off), default=5)
    assert fired == Fired(*(1 if first_on <= layer else 2 for layer in (1, 2, 3, 4)))
