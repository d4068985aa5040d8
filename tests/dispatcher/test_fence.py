"""What stands before each claim and each verdict: the database is asked, not what a process believes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar
from uuid import UUID

import psycopg
import pytest

from dispatcher.line import SCOPE
from dispatcher.moves import Claimant, look, look_at
from ledger.driver.connect import SyncConnection, connect
from ledger.driver.migrate import in_force
from ledger.driver.sync import run
from ledger.errors import Busy, OtherRelease, PresenceGone
from ledger.moves.presence import CLAIMS, PRESENCE, confirm, end, lose, register, runs_of, take_over
from ledger.moves.step import Move
from ledger.statements.presence import Place
from tests.dispatcher.desk import TENANT, Book

R = TypeVar("R")


class Desk:
    """A connection as a dispatcher has it, and an incarnation that is registered."""

    def __init__(self, dsn: str) -> None:
        self.connection: SyncConnection = connect(dsn)
        self.incarnation = self.run(register("slot", "host"))
        self.run(confirm(self.incarnation))

    def run(self, move: Move[R]) -> R:
        return run(self.connection, move, SCOPE)

    @property
    def who(self) -> Claimant:
        return Claimant(self.incarnation, True, in_force(), ["python"])


@pytest.fixture
def desk(dsn: str) -> Iterator[Desk]:
    made = Desk(dsn)
    yield made
    made.connection.close()


@pytest.fixture
def held(book: Book, desk: Desk) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """The session that shows the incarnation to be there."""
    with psycopg.connect(book.dsn, autocommit=True) as session:
        session.execute("SELECT pg_advisory_lock(%s, %s)", (PRESENCE, desk.incarnation))
        yield session


def come(book: Book, task: str = "t") -> UUID:
    """A row that is due."""
    key = book.due(task)
    book.sql("UPDATE ledger.occurrence SET run_at = now() WHERE key = %s", key)
    return key


def test_nothing_starts_under_an_incarnation_that_nobody_holds(book: Book, desk: Desk) -> None:
    key = come(book)
    for move in (look(10, desk.who, float), look_at(Place(TENANT, "t", key), desk.who)):
        with pytest.raises(PresenceGone, match=f"incarnation {desk.incarnation}: nobody holds its lock"):
            desk.run(move)
    assert book.state(key) == "pending"
    with psycopg.connect(book.dsn, autocommit=True) as session:
        session.execute("SELECT pg_advisory_lock(%s, %s)", (PRESENCE, desk.incarnation))
        assert [each.key for each in desk.run(look(10, desk.who, float)).claimed.started] == [key]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("schema_version = schema_version + 1", "schema_version"),
        ("key_version = 7", "key_version 1 here, 7 in force"),
        ("digest_version = 7", "digest_version 1 here, 7 in force"),
        ("dialect = 7", "dialect 1 here, 7 in force"),
        ("tzdata = '1999a'", "1999a in force"),
    ],
)
def test_nothing_starts_under_another_release(
    change: str, said: str, book: Book, desk: Desk, held: object
) -> None:
    key = come(book)
    book.sql(f"UPDATE ledger.settings SET {change}")  # noqa: S608 - out of the table above
    with pytest.raises(OtherRelease, match="of another release") as refused:
        desk.run(look(10, desk.who, float))
    assert said in str(refused.value)
    assert book.state(key) == "pending"


def test_nothing_starts_in_a_database_without_settings(book: Book, desk: Desk, held: object) -> None:
    come(book)
    book.sql("DELETE FROM ledger.settings")
    with pytest.raises(OtherRelease, match="never migrated"):
        desk.run(look(10, desk.who, float))


def test_no_claim_begins_while_its_incarnation_is_read_back(book: Book, desk: Desk, held: object) -> None:
    come(book)
    with psycopg.connect(book.dsn) as reader:
        reader.execute("SELECT pg_advisory_xact_lock(%s, %s)", (CLAIMS, desk.incarnation))
        with pytest.raises(Busy, match="being read back"):
            desk.run(look(10, desk.who, float))


def started(book: Book, desk: Desk) -> UUID:
    """A run of the incarnation's."""
    key = come(book)
    desk.run(look(10, desk.who, float))
    assert book.row(key, "state, incarnation") == ("running", desk.incarnation)
    return key


def test_a_process_that_is_there_after_all_loses_no_run(
    book: Book, desk: Desk, held: psycopg.Connection[tuple[object, ...]]
) -> None:
    key = started(book, desk)
    runs = desk.run(runs_of(desk.incarnation))
    assert [each.key for each in runs] == [key]
    assert desk.run(lose(TENANT, desk.incarnation, runs, "test")).counted == []
    assert book.state(key) == "running"
    held.execute("SELECT pg_advisory_unlock_all()")
    assert len(desk.run(lose(TENANT, desk.incarnation, runs, "test")).counted) == 1
    assert book.row(key, "state, closed_by") == ("lost", "test")


def test_runs_are_claimed_over_under_the_guard_of_both_lives(book: Book, desk: Desk, held: object) -> None:
    key = started(book, desk)
    new, ended = desk.run(register("slot", "host")), desk.run(register("slot", "host"))
    desk.run(end(ended, "test"))
    # To a life that has ended, or from one that does not have them: nothing moves.
    assert desk.run(take_over(TENANT, desk.incarnation, ended, [key])) == []
    assert desk.run(take_over(TENANT, new, ended, [key])) == []
    assert desk.run(take_over("another", desk.incarnation, new, [key])) == []
    assert desk.run(take_over(TENANT, desk.incarnation, new, [key])) == [key]
    assert book.row(key, "state, incarnation") == ("running", new)


def test_a_life_with_runs_is_not_ended(book: Book, desk: Desk, held: object) -> None:
    key = started(book, desk)
    desk.run(end(desk.incarnation, "test"))
    assert book.one("SELECT ended FROM ledger.incarnation WHERE id = %s", desk.incarnation) is None
    book.sql("UPDATE ledger.occurrence SET state = 'lost', closed = now() WHERE key = %s", key)
    desk.run(end(desk.incarnation, "test"))
    assert book.one("SELECT ended FROM ledger.incarnation WHERE id = %s", desk.incarnation) is not None
    with pytest.raises(PresenceGone, match="register again"):
        desk.run(confirm(desk.incarnation))
