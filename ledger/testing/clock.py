"""The test's clock: how a connection comes to read the database's clock ahead of the real one.

The ledger's clock is the database's, and nothing starts before its time (I9). So a test that does not want
to wait moves that clock, for one connection, in a database that was made for it; no move is told anything.
A tenant's time goes forward only: acts come after the latest of its runs, and a row runs at its own time, or
after the latest act on its task.
"""

from __future__ import annotations

from datetime import datetime
from importlib.resources import files

from ledger.driver.connect import AsyncConnection, SyncConnection, connect
from ledger.errors import Misconfigured

_LOOK = "SELECT to_regprocedure('ledger_testing.now()') IS NOT NULL"
_FOR_ACTS = "SELECT ledger_testing.run_on(ledger_testing.latest(%s))"
_FOR_ROW = "SELECT ledger_testing.run_on(greatest(%s::timestamptz, ledger_testing.last_act(%s, %s)))"
_MISSING = (
    "this database has no clock that a test can move, and none is given to a database in use: "
    "take one that the fixture `ledger_dsn` of ledger.testing has made"
)


def add_clock(dsn: str) -> None:
    """Give a migrated database that belongs to tests its clock, as the database's owner."""
    with connect(dsn, application="ledger testing") as connection:
        connection.execute((files("ledger") / "testing" / "clock.sql").read_bytes())


def for_acts(connection: SyncConnection, tenant: str) -> None:
    """Set a connection to a tenant's time. Raises `Misconfigured` where the database has no such clock."""
    if connection.execute(_LOOK).fetchone() != (True,):
        raise Misconfigured(_MISSING)
    connection.execute(_FOR_ACTS, (tenant,))


async def for_acts_async(connection: AsyncConnection, tenant: str) -> None:
    """The same for asyncio."""
    if await (await connection.execute(_LOOK)).fetchone() != (True,):
        raise Misconfigured(_MISSING)
    await connection.execute(_FOR_ACTS, (tenant,))


async def for_row(connection: AsyncConnection, run_at: datetime, tenant: str, task: str) -> None:
    """Set a connection to the time at which a row runs."""
    await connection.execute(_FOR_ROW, (run_at, tenant, task))
