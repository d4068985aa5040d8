"""A connection that is opened when it is needed, and again after it was lost."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from ledger.driver.aio import arun
from ledger.driver.connect import AsyncConnection, aconnect
from ledger.driver.transaction import Scope
from ledger.errors import LedgerError, OutcomeUnknown, Unreachable
from ledger.moves.step import Move

R = TypeVar("R")

SCOPE = Scope("dispatcher")


class Line:
    """Runs moves one after another, each as a transaction of its own, as the dispatcher's role."""

    def __init__(self, dsn: str, purpose: str) -> None:
        self._dsn = dsn
        self._purpose = purpose
        self._connection: AsyncConnection | None = None
        self._prepares = True
        self._one = asyncio.Lock()

    async def run(self, move: Move[R]) -> R:
        """Run a move. Raises what it raises, and `Unreachable` where no server answers.

        A connection that was lost, or whose state is unknown, is given up; the next move gets a new one.
        """
        try:
            async with self._one:
                if self._connection is None or self._connection.closed:
                    self._connection = await aconnect(self._dsn, application=f"ledger {self._purpose}")
                    if self._connection.prepare_threshold is not None:
                        self._connection.prepare_threshold = 0 if self._prepares else None
                return await arun(self._connection, move, SCOPE)
        except (Unreachable, OutcomeUnknown):
            await self.close()
            raise
        except LedgerError:
            raise
        except BaseException:
            await self.close()
            raise
        finally:
            move.close()

    async def unprepared(self) -> None:
        """Prepare no statement from now on: behind a transaction pooler another session would be given it."""
        self._prepares = False
        await self.close()

    async def close(self) -> None:
        """Give the connection up; whatever it was doing is rolled back."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
