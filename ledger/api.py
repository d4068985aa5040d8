"""The Python API: `Ledger`, a door for each tenant, and the same door inside a caller's transaction.

What a tenant's door does stands in `ledger.api_tenant`. `AsyncLedger` has the same methods for asyncio.
"""

from __future__ import annotations

import os
from types import TracebackType

from dispatcher.registry import Registry
from dispatcher.run import Run
from ledger.api_async import AsyncLedger, AsyncTenantLedger
from ledger.api_tenant import TenantLedger
from ledger.driver.callers import Within
from ledger.driver.migrate import in_force
from ledger.driver.pool import Pool, SyncPool
from ledger.driver.transaction import Scope
from ledger.facts import read_identifier
from ledger.moves.expel import expel, read_incarnation, read_why
from ledger.moves.settled import under
from ledger.statements.presence import Expelled
from projector import door

__all__ = ["AsyncLedger", "AsyncTenantLedger", "Ledger", "LedgerOn", "Registry", "Run", "TenantLedger"]


class Ledger:
    """The ledger on one database.

    `target` is a DSN (`postgresql://user@host:port/database`), a `psycopg_pool.ConnectionPool` of the
    caller's, or None for the DSN in `LEDGER_DSN`. With a DSN the ledger has a pool of its own, at most ten
    connections, opened by the first call and closed by `close()` or at the end of a `with` block.

    Raises `BadInput` for a DSN that cannot be read. Calls raise `Unreachable` while the database is down.
    """

    def __init__(self, target: str | SyncPool | None = None) -> None:
        found = os.environ.get("LEDGER_DSN") or None if target is None else target
        self._pool = None if found is None else Pool(found)

    def tenant(self, tenant: str, *, by: str = door.BY) -> TenantLedger:
        """The door of one tenant: it sees and changes that tenant's rows alone.

        `by` says who acts, as acts and rows will show it. Raises `FactRefused` for a name that is no
        identifier (1 to 200 printable ASCII characters without spaces, `"` and `\\\\`).
        """
        return TenantLedger(self._runs(), read_identifier(tenant, "tenant"), door.read_by(by))

    def on(self, connection: object) -> LedgerOn:
        """The ledger inside the transaction that a psycopg connection of the caller's is in.

        Nothing is committed or rolled back here: what the calls do stands or falls with the caller's
        transaction, and a call that raises undoes its own part only. The connection's settings, row factory
        and role are as before after each call. Raises `BadInput` for anything but a psycopg connection.

        SQLAlchemy: `session.connection().connection.driver_connection`. Django: `connection.connection`.
        """
        return LedgerOn(connection)

    def expel(self, incarnation: int, *, why: str, by: str = door.BY) -> Expelled:
        """End the presence of a process that hangs, by a person's decision; the row keeps `by` and `why`.

        Its runs are lost from then on, as if it had died: other dispatchers and the sweep close them. The
        process itself, once it moves again, starts nothing, tells its handlers, and ends. Expelled twice,
        the first word stays (I15). Needs the dispatcher's role. Raises `BadInput`, and `NotFound` where there
        is no such life.
        """
        move = expel(read_incarnation(incarnation), door.read_by(by), read_why(why))
        return self._runs().run(under(in_force(), move), Scope("dispatcher"))

    def close(self) -> None:
        """Close the ledger's own pool; a pool that was handed in stays open."""
        if self._pool is not None:
            self._pool.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _runs(self) -> Pool:
        # Without a DSN there are callers' connections still; here one is needed, and asked for.
        return self._pool or Pool(None)


class LedgerOn:
    """The ledger inside a caller's transaction; made by `Ledger.on`."""

    def __init__(self, connection: object) -> None:
        self._within = Within(connection)

    def tenant(self, tenant: str, *, by: str = door.BY) -> TenantLedger:
        """The door of one tenant, inside the caller's transaction; as `Ledger.tenant`."""
        return TenantLedger(self._within, read_identifier(tenant, "tenant"), door.read_by(by))
