"""The dispatcher: its tasks, how they start and how they end; a daemon, or one pass."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from dispatcher.claimer import Claimer
from dispatcher.deliveries.notes import Notes
from dispatcher.deliveries.protocol import Delivery
from dispatcher.deliveries.python import Python
from dispatcher.keeper import Keeper
from dispatcher.lag import Vitals
from dispatcher.line import Line
from dispatcher.live import Live
from dispatcher.pace import Pace
from dispatcher.presence import Presence
from dispatcher.registry import Registry
from dispatcher.state import State
from dispatcher.telling import Listener, Teller
from dispatcher.workers import Workers
from dispatcher.writer import Writer
from ledger.driver.migrate import migrations
from ledger.errors import BadInput, LedgerError, PresenceExpelled, Unreachable
from ledger.moves.presence import InForce
from ledger.release import RELEASE
from ledger.spans import tracing

CONCURRENCY = 1_000
THREADS = 32
GRACE_S = 30.0
TICK_S = 1.0
PERIOD_S = 10.0
LOOK_S = 0.5
# How long finishes are still written, and cancelled handlers awaited, when the process ends.
LAST_S = 10.0
# Between tries to reach a database, from and to.
RETRY_S, RETRY_MOST_S = 0.05, 5.0


@dataclass(frozen=True, slots=True)
class Settings:
    """How a dispatcher works. `concurrency`: runs at once on the event loop; `threads`: for handlers that
    are no coroutines, and as many commands at once; `grace_s`: how long running handlers may go on once it
    is told to stop; `tick_s`: the longest sleep between two passes; `period_s`: between heartbeats and looks
    for what others left behind; `look_s`: between looks for processes that are gone.
    """

    concurrency: int = CONCURRENCY
    threads: int = THREADS
    grace_s: float = GRACE_S
    tick_s: float = TICK_S
    period_s: float = PERIOD_S
    look_s: float = LOOK_S
    name: str = "dispatcher"


@dataclass(frozen=True, slots=True)
class Tick:
    """What one pass did. What failed is said in here, in-band: the pass itself has been done."""

    incarnation: int | None
    counts: dict[str, int]
    problems: list[str]


class Dispatcher:
    """Claims what is due, hands it to the registry's handlers, writes how they ended, looks after the rest.

    `deliveries` are the kinds beside `python` that are served here, by name; without a registry only they
    are. What is of another kind is left to others.

    `await run()` works until `stop()`; `await tick()` does one pass. `listener` hears everything that is
    said, as (what, facts). One object is for one `run` or one `tick`.
    """

    def __init__(
        self,
        dsn: str,
        registry: Registry | None,
        settings: Settings | None = None,
        *,
        deliveries: Mapping[str, Delivery] | None = None,
        listener: Listener | None = None,
    ) -> None:
        self.settings = chosen = settings or Settings()
        self.teller = Teller(listener)
        self.state = State(self.teller)
        self._claims, second, self._finishes, self._house = self._lines = tuple(
            Line(dsn, purpose) for purpose in ("claims", "more claims", "finishes", "house")
        )
        self._writer = Writer(self._finishes, self.teller)
        self._notes = Notes(Line(dsn, "deliveries"), self.teller)
        kinds = dict(deliveries or {})
        if registry is not None:
            kinds["python"] = Python(registry)
        self._workers = Workers(kinds, chosen.concurrency, chosen.threads, self._writer.put, self._notes)
        who = (chosen.name, f"{socket.gethostname()}:{os.getpid()}")
        self._presence = Presence(dsn, who, self._workers.standing, self.teller)
        own = InForce(len(migrations()), *RELEASE)
        self._claimer = Claimer((self._claims, second), self._presence, self._workers, self._writer, own)
        self._keeper = Keeper(self._house, self.state, self._workers, chosen.period_s, chosen.look_s)
        self._pace = Pace(chosen.tick_s)
        self._stop = asyncio.Event()
        self._writer.taken = self._written
        self._writer.earliest = self._keeper.earliest = self._pace.wake_in
        self._keeper.asides = self._claimer.asides.extend
        self._workers.freed = self._writer.freed = self._freed
        self._keeper.expelled = self._expelled
        self._presence.wake = self._pace.wake
        self._presence.refused = self._unprepared
        spans = tracing()
        if spans is not None:
            from dispatcher.spans import RunSpans  # noqa: PLC0415 - OpenTelemetry is an extra

            self._claimer.spans = self._writer.spans = self._workers.spans = RunSpans(spans)
        self._starved = False
        # By whom and why a person has ended this process.
        self._cast_out: str | None = None

    def vitals(self) -> Vitals:
        """How it goes now; any thread may ask."""
        return Vitals(
            self.state.word,
            dict(self.teller.counts),
            self._claimer.claims,
            self._claimer.lag,
            self._workers.busy,
            max(0, self._claimer.free),
            self._writer.unwritten,
            time.monotonic() - self._keeper.beaten_at,
        )

    def stop(self) -> None:
        """Stop claiming, hand back what never began, let running handlers end within the grace, then end."""
        self._claimer.stopping = True
        self._stop.set()
        self._pace.wake()

    async def run(self) -> None:
        """Work until `stop`. A database that is down, or of another release, is waited for, and that is said.

        Raises `Unreachable` where finishes could not be written before the end; others find those runs.
        `PresenceExpelled` where a person has ended this process: its handlers have been told.
        """
        self._keeper.taken = self._taken
        claiming = asyncio.create_task(self._claim())
        chores = [asyncio.create_task(self._writer.run()), asyncio.create_task(self._keeper.run())]
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait([claiming, stopping, *chores], return_when=asyncio.FIRST_COMPLETED)
            for task in (claiming, *chores):
                if task.done():
                    task.result()
            await self._drain(claiming)
        except PresenceExpelled as error:
            await self._leave(error)
            raise
        finally:
            await _end([claiming, stopping, *chores])
            await self._close()
        self._check_written()

    async def tick(self) -> Tick:
        """One pass: claim what is due, run it, write how it ended, close what is overdue. Never retried.

        Raises `Unreachable`, `Misconfigured` or `Busy` where the pass could not be done.
        """
        self._keeper.taken = self._taken
        writing = asyncio.create_task(self._writer.run())
        try:
            await self._pass()
            await self._work_off()
            await self._keeper.round()
            if self._claimer.doubt:
                # Runs were claimed over that a process that is gone had never sent.
                await self._claimer.settle()
                await self._work_off()
            self.state.set("stopped", "its pass is done")
            await self._keeper.beat()
            await self._presence.leave(self._claims, "its pass is done")
        except TimeoutError:
            pass
        finally:
            await _end([writing])
            await self._close()
        self._check_written()
        return Tick(self.teller.incarnation, dict(self.teller.counts), list(self.teller.problems))

    async def _work_off(self) -> None:
        """Wait until every handler has ended and its end is written. Raises TimeoutError for the latter."""
        await self._workers.ended()
        async with asyncio.timeout(LAST_S):
            await self._writer.written()

    async def _pass(self) -> None:
        self._claimer.asides.extend(await self._keeper.set_aside())
        while True:
            free = self._claimer.free
            if free <= 0:
                await self._wait_for_room()
                continue
            look = await self._claimer.turn(free)
            self.state.set("active")
            if look is None or not look.full:
                return

    async def _claim(self) -> None:
        """Pass after pass, until told to stop."""
        pause = RETRY_S
        while not self._stop.is_set():
            if self._cast_out is not None:
                raise PresenceExpelled(f"this process was {self._cast_out}; look why, then start it anew")
            free = self._claimer.free
            look = None
            try:
                if free > 0:
                    look = await self._claimer.turn(free)
                else:
                    await self._wait_for_room()
            except (BadInput, PresenceExpelled):
                raise
            except LedgerError as error:
                self.state.set("blocked", str(error))
                self._tell_if_long_gone()
                await self._pace.sleep(pause)
                pause = min(pause * 2, RETRY_MOST_S)
            else:
                pause = RETRY_S
                self.state.set("active")
                if free > 0:
                    await self._pace.after(look)

    async def _wait_for_room(self) -> None:
        """Wait until a run has ended, a tick at most. Whoever has its hands full keeps its presence, too: it
        registers again where that was lost, or others would take its runs for lost. Raises as `settle`.
        """
        self._starved = True
        await self._claimer.settle()
        await self._pace.sleep(self.settings.tick_s)

    def _tell_if_long_gone(self) -> None:
        """After a period without presence others may take the runs for lost: their handlers are told."""
        lost_at, period = self._presence.lost_at, self.settings.period_s
        if lost_at is not None and asyncio.get_running_loop().time() - lost_at > period:
            self._workers.tell_all(
                f"this process has lost its presence for {period:g} s: others may take its runs for lost",
                interrupt=False,
            )

    def _expelled(self, why: str) -> None:
        self._cast_out = why
        self._pace.wake()

    async def _leave(self, error: PresenceExpelled) -> None:
        """A person has ended this process: its runs are others' to close."""
        self.teller.warn("expelled", running=self._workers.busy, why=str(error))
        self._workers.give_up(str(error))
        self.state.set("stopped", str(error))
        try:
            await self._keeper.beat()
        except LedgerError as last:
            self.teller.warn("the end could not be written", why=str(last))

    async def _drain(self, claiming: asyncio.Task[None]) -> None:
        self.state.set("draining")
        await claiming
        if self._claimer.doubt:
            await _within(LAST_S, self._clear_up)
        back = self._workers.hand_back()
        self.teller.say("stopping", running=self._workers.busy, handed_back=back)
        grace = self.settings.grace_s
        if not await _within(grace, self._workers.ended):
            reason = f"the process stops, and its grace of {grace:g} s is over"
            self.teller.warn("handlers still run", running=self._workers.busy, why=reason)
            self._workers.tell_all(reason, interrupt=True)
            await _within(LAST_S, self._workers.ended)
        await _within(LAST_S, self._writer.written)
        self.state.set("stopped")
        try:
            await self._keeper.beat()
            await self._presence.leave(self._claims, "stopped")
        except LedgerError as error:
            self.teller.warn("the end could not be written", why=str(error))

    async def _clear_up(self) -> None:
        """A claim was never answered: what it started is handed back, if that can be learnt now."""
        try:
            await self._claimer.settle()
        except LedgerError as error:
            self.teller.warn("a claim stays unanswered; others find its runs", why=str(error))

    def _check_written(self) -> None:
        if self._writer.unwritten:
            raise Unreachable(
                f"{self._writer.unwritten} finishes could not be written within {LAST_S:g} s; "
                "their runs are found by others, or closed by their deadline"
            )

    def _freed(self) -> None:
        if self._starved:
            self._starved = False
            self._pace.wake()

    def _written(self, live: Live) -> None:
        self._workers.written(live)
        if self._claimer.fairness.ended(live.what.subject.tenant):
            self._pace.wake()

    def _taken(self) -> None:
        """Runs were claimed over: reading back what is ours finds them, and hands them over."""
        self._claimer.doubt = True
        self._pace.wake()

    async def _unprepared(self) -> None:
        await self._notes.unprepared()
        for line in self._lines:
            await line.unprepared()

    async def _close(self) -> None:
        await self._workers.close()
        await self._notes.close()
        await self._presence.drop()
        for line in self._lines:
            await line.close()


async def _within(seconds: float, waited: Callable[[], Awaitable[None]]) -> bool:
    """Wait for something, at most so long; whether it came."""
    try:
        async with asyncio.timeout(seconds):
            await waited()
    except TimeoutError:
        return False
    return True


async def _end(tasks: Sequence[asyncio.Task[object]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
