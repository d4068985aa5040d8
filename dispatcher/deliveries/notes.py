"""Writes what the ledger must know before a run leaves this machine, and once another has taken it on.

What is asked for while a transaction is under way goes into the next one: one for each tenant (I12).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from dispatcher.line import Line
from dispatcher.run import Run
from dispatcher.telling import Teller
from ledger.errors import Busy, OutcomeUnknown, Unreachable
from ledger.moves.handing import note_handed, release
from ledger.moves.step import Move

Noting: TypeAlias = Callable[[str, Collection[UUID], Collection[int]], Move[frozenset[UUID]]]

# How long a note waits that could not be written, each time twice as long.
PAUSE_S, PAUSE_MOST_S = 0.1, 5.0


@dataclass(slots=True)
class _Asked:
    key: UUID
    answer: asyncio.Future[bool]
    pause_s: float = PAUSE_S / 2


class Notes:
    """Owns a connection, opened by the first note."""

    def __init__(self, line: Line, teller: Teller) -> None:
        self._line = line
        self.teller = teller
        self._asked: dict[tuple[str, Noting], list[_Asked]] = {}
        self._writing: asyncio.Task[None] | None = None

    async def handed(self, run: Run) -> bool:
        """Note that a run is about to be sent; False where it is not this process's any more."""
        return await self._ask(run, note_handed)

    async def release(self, run: Run) -> None:
        """Let go of a run that another machine has taken on; one that is finished already needs no word."""
        await self._ask(run, release)

    async def close(self) -> None:
        """Write no more; whoever still waits for an answer is told to end by others."""
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.gather(self._writing, return_exceptions=True)
        await self._line.close()

    async def unprepared(self) -> None:
        """As `Line.unprepared`."""
        await self._line.unprepared()

    async def _ask(self, run: Run, noting: Noting) -> bool:
        asked = _Asked(run.key, asyncio.get_running_loop().create_future())
        self._put(run.tenant, noting, [asked])
        return await asked.answer

    def _put(self, tenant: str, noting: Noting, asked: list[_Asked]) -> None:
        self._asked.setdefault((tenant, noting), []).extend(asked)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def _write(self) -> None:
        while self._asked:
            (tenant, noting), asked = self._asked.popitem()
            waiting = [one for one in asked if not one.answer.done()]
            try:
                done = await self._line.run(
                    noting(tenant, [one.key for one in waiting], sorted(self.teller.lives))
                )
            except (Busy, OutcomeUnknown, Unreachable) as error:
                # Doing it again changes nothing (I15), and nothing is sent before it is known to be done.
                self.teller.say("notes wait for the database", tenant=tenant, why=str(error))
                self._later(tenant, noting, waiting)
            except Exception as error:  # noqa: BLE001 - the failure of these runs, and of no others
                for one in waiting:
                    if not one.answer.done():
                        one.answer.set_exception(error)
            else:
                for one in waiting:
                    if not one.answer.done():
                        one.answer.set_result(one.key in done)

    def _later(self, tenant: str, noting: Noting, asked: list[_Asked]) -> None:
        for one in asked:
            one.pause_s = min(one.pause_s * 2, PAUSE_MOST_S)
        pause_s = max(one.pause_s for one in asked)
        asyncio.get_running_loop().call_later(pause_s, self._put, tenant, noting, asked)
