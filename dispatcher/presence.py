"""This process's presence: its incarnation, the session that shows it to be there, and what follows its loss.

A process that loses its session starts nothing, registers again as a new incarnation, and claims its runs
over: `former` are the lives whose runs are still to be moved.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from dispatcher.line import Line
from dispatcher.run import Standing
from dispatcher.telling import Teller
from ledger.driver.presence import PresenceSession, hold_presence
from ledger.errors import Misconfigured
from ledger.moves.presence import confirm, end, register


class Presence:
    """Registers, holds, watches. `wake` is called when the session is lost, and at each hint; `refused` where
    no presence can be held.
    """

    def __init__(self, dsn: str, name: tuple[str, str], standing: Standing, teller: Teller) -> None:
        self.former: list[int] = []
        self.wake: Callable[[], None] = _nothing
        self.refused: Callable[[], Awaitable[None]] = _nothing_at_all
        self.lost_at: float | None = None
        self._dsn = dsn
        self._name = name
        self._standing = standing
        self._teller = teller
        self._incarnation: int | None = None
        self._held = False
        self._session: PresenceSession | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def incarnation(self) -> int | None:
        """The incarnation as which runs may be started; None while there is none."""
        return self._incarnation if self._session is not None or not self._held else None

    @property
    def held(self) -> bool:
        """Whether the incarnation has a presence that could be lost; behind a pooler it has none."""
        return self._held

    async def take(self, line: Line) -> int:
        """Register and hold, unless that is so already; the incarnation as which runs may be started.

        Raises `Unreachable` where no server answers. Behind a transaction pooler there is no presence, and
        that is said: then the deadline alone closes what this process leaves behind.
        """
        if self.incarnation is not None:
            return self.incarnation
        slot, host = self._name
        new = await line.run(register(slot, host))
        session = await self._hold(line, new)
        if self._incarnation is not None:
            self.former.append(self._incarnation)
        self._incarnation, self._held, self._session = new, session is not None, session
        self._teller.incarnation = new
        self._teller.lives.add(new)
        if session is not None:
            self._watch = asyncio.create_task(self._watched(session))
        self._teller.say("registered", slot=slot, host=host, presence=self._held)
        return new

    def settled(self) -> None:
        """The runs of former lives are this one's: handlers may go on."""
        if self.incarnation is not None:
            self._standing.present, self.lost_at = True, None

    async def _hold(self, line: Line, new: int) -> PresenceSession | None:
        try:
            session = await hold_presence(self._dsn, new)
        except Misconfigured as error:
            self._teller.warn("no presence", why=str(error))
            await self.refused()
            return None
        try:
            await line.run(confirm(new))
        except BaseException:
            await session.close()
            raise
        return session

    def gone(self, why: str) -> None:
        """The presence is lost: by its socket, or since the database says so."""
        if self._session is None:
            return
        session, self._session = self._session, None
        self._standing.present = False
        self.lost_at = asyncio.get_running_loop().time()
        self._teller.warn("presence lost", why=why)
        if self._watch is not None:
            self._watch.cancel()
        self._watch = asyncio.create_task(session.close())
        self.wake()

    async def leave(self, line: Line, why: str) -> None:
        """End the incarnation, and the presence with it; runs that still run are left to others to find."""
        if self._incarnation is not None:
            await line.run(end(self._incarnation, why))
        await self.drop()

    async def drop(self) -> None:
        """Let go of the session, without a word to the database."""
        session, self._session = self._session, None
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        if session is not None:
            await session.close()

    async def _watched(self, session: PresenceSession) -> None:
        why = await session.lost(self._hinted)
        self._watch = None
        self.gone(why)

    def _hinted(self) -> None:
        self._teller.quiet("told of an act")
        self.wake()


def _nothing() -> None:
    """Nobody is to be woken yet."""


async def _nothing_at_all() -> None:
    """Nobody is to be told yet."""
