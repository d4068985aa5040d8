"""A database whose time a test chooses, and whose every change of a row is kept in order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import psycopg
from psycopg.rows import dict_row

from ledger.driver.connect import SyncConnection, UtcLoader, connect
from ledger.driver.sync import run
from ledger.driver.transaction import Role, Scope
from ledger.moves.step import Move

R = TypeVar("R")
Row = dict[str, object]

_LAID = Path(__file__).with_name("stage.sql")


def instant(text: str) -> datetime:
    """An instant in UTC, from `2026-10-24 09:00` or with seconds and their fraction."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


class Stage:
    """One database: connections to it, its time, its tables as they stand."""

    def __init__(self, dsn: str, name: str) -> None:
        self.dsn = dsn
        self.now = instant("2026-06-01 12:00")
        self.clock = self.now
        self._connections: list[SyncConnection] = []
        with psycopg.connect(dsn, autocommit=True) as owner:
            owner.execute(_LAID.read_bytes())
            owner.execute(f"ALTER DATABASE {name} SET search_path = stage, pg_catalog".encode())
            # A ring of waiters is broken at once: nothing here waits longer than a look takes.
            owner.execute(f"ALTER DATABASE {name} SET deadlock_timeout = '20ms'".encode())
        self.eye = self.connect()
        # What a failed test has left open must not hold the next one for ever.
        self.eye.execute("SET lock_timeout = '20s'")

    def connect(self) -> SyncConnection:
        """A connection as the product makes its own, on this database's time."""
        connection = connect(self.dsn, application="ledger test")
        connection.adapters.register_loader("timestamptz", UtcLoader)
        self._connections.append(connection)
        self._tell(connection)
        return connection

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def at(self, now: datetime, runs_on: timedelta = timedelta(0)) -> None:
        """Set the time at which every transaction begins; the clock reads `runs_on` more."""
        self.now, self.clock = now, now + runs_on
        for connection in [c for c in self._connections if not c.closed]:
            self._tell(connection)

    def _tell(self, connection: SyncConnection) -> None:
        connection.execute(
            "SELECT set_config('stage.now', %s, false), set_config('stage.clock', %s, false)",
            (self.now.isoformat(), self.clock.isoformat()),
        )

    def run(self, move: Move[R], role: Role = "dispatcher", tenant: str | None = None) -> R:
        """Run a move on a connection of the stage's own."""
        return run(self.eye, move, Scope(role, tenant))

    def rows(self) -> list[Row]:
        """Every occurrence as it stands, in no order that means anything."""
        with self.eye.cursor(row_factory=dict_row, binary=True) as cursor:
            return cursor.execute("SELECT * FROM ledger.occurrence").fetchall()

    def ask(self, statement: str, params: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """What a statement of the test's own answers."""
        cursor = self.eye.cursor(binary=True).execute(statement.encode(), params)
        return cursor.fetchall() if cursor.description else []

    def state(self) -> str:
        """All that moves write, comparable with another time's, a line for each row."""
        return "\n".join(f"{table} {line}" for table, line in self.ask("SELECT * FROM stage.state()"))

    def clear(self) -> None:
        """Empty what moves write, and the log."""
        self.ask("SELECT stage.clear()")

    def keep(self) -> None:
        """Remember what the tables hold now, for `restore`."""
        self.ask("SELECT stage.remember()")

    def restore(self) -> None:
        """Put back what `keep` remembered."""
        self.ask("SELECT stage.restore()")
