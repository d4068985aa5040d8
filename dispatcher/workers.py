"""Where runs are handed over: each to the handler that its delivery names, on the event loop or on a thread.

A run that is claimed is in `known` until the ledger has taken its end, so a claim that is read back hands
nothing over twice (I7). Deadlines are kept here too: a handler that runs past its own is told, and closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from dispatcher.deliveries.notes import Notes
from dispatcher.deliveries.protocol import Delivery
from dispatcher.deliveries.turns import Turns
from dispatcher.live import Live
from dispatcher.outcome import Ending, raised, returned
from dispatcher.registry import AsyncHandler, Handler
from dispatcher.run import Standing
from dispatcher.telling import Teller
from dispatcher.threads import Threads
from ledger.authored.models import Definition
from ledger.moves.close import AGENT_GONE, Closing, Why
from ledger.states import Closed
from projector.moves.decide import Started

if TYPE_CHECKING:
    from dispatcher.spans import RunSpans

_UNHANDED = Ending("failed")

# Puts the closing of a run into the writer.
Put = Callable[[Live, Closing], None]


class Workers:
    """Hands runs over and hears how they end; `put` takes what is to be written of them."""

    def __init__(
        self,
        deliveries: Mapping[str, Delivery],
        concurrency: int,
        threads: int,
        put: Put,
        notes: Notes,
    ) -> None:
        self.known: dict[UUID, Live] = {}
        self.standing = Standing()
        self.freed: Callable[[], None] = _nothing
        self.deliveries = deliveries
        kinds = deliveries.values()
        # Handlers that all need a thread or a turn are as many as these.
        slow = any(kind.in_turn for kind in kinds) and not any(kind.looped for kind in kinds)
        self._most = threads if slow else concurrency
        self._busy = 0
        self._threads = Threads(threads, self._begun, self._ended)
        self._turns = Turns(threads, self._take_turn)
        self._notes = notes
        self._put = put
        self.teller: Teller = notes.teller
        self._timer: asyncio.TimerHandle | None = None
        # Runs whose handler is still waited for: neither over nor told to stop.
        self._awaited = 0
        self._idle = asyncio.Event()
        self._idle.set()
        # Where tracing is on.
        self.spans: RunSpans | None = None

    @property
    def busy(self) -> int:
        """Runs whose handler has not ended yet, or not begun."""
        return self._busy

    @property
    def free(self) -> int:
        """How many more runs could begin at once.

        While some wait for a thread or a turn, others are let in one by one: they may need neither.
        """
        free = self._most - self._busy
        for few in (self._threads, self._turns):
            if few.waiting:
                free = min(free, max(few.free, 1))
        return free

    def hand_over(self, started: Sequence[Started], claimed_at: float) -> None:
        """Give runs to their handlers; their claim has been committed (I17).

        `claimed_at` is the loop's time when the claim was answered: deadlines run from it.
        """
        loop = asyncio.get_running_loop()
        first = None
        for what in started:
            ends_at = claimed_at + (what.deadline - what.started).total_seconds()
            live = Live(what, self.standing, ends_at)
            self.known[what.key] = live
            self._busy += 1
            self._awaited += 1
            first = ends_at if first is None or ends_at < first else first
            handler = self._handler(what.subject.definition)
            if isinstance(handler, str):
                self._ended(live, Ending("failed", error=handler))
            elif handler.on_thread is not None:
                self._threads.hand_over(live, handler.on_thread)
            elif handler.on_loop is None:
                self._ended(live, Ending("failed", error=f"{handler.name!r} has no callable"))
            elif handler.in_turn:
                self._turns.hand_over(live, handler.on_loop)
            elif handler.noted:
                live.task = loop.create_task(self._run_noted(live, handler.on_loop))
            else:
                live.task = loop.create_task(self._run(live, handler.on_loop))
        if self._awaited:
            self._idle.clear()
        if first is not None:
            self._watch(first)

    def _handler(self, definition: Definition) -> Handler | str:
        try:
            found = self.deliveries[definition.delivery].handler(definition)
            return found if self.spans is None or isinstance(found, str) else self.spans.around(found)
        except Exception as error:  # noqa: BLE001 - its run's failure, and no other's
            return f"the delivery {definition.delivery!r} failed: {type(error).__name__}: {error}"

    def written(self, live: Live) -> None:
        """The ledger has taken a closing of the run, or keeps it as evidence."""
        live.unwritten -= 1
        self._forget(live)

    def hand_back(self, started: Iterable[Started] = ()) -> int:
        """Hand back what no handler has begun, and what has just been claimed while the process stops; their
        handlers are not called any more. How many that were.
        """
        back = [*self._threads.take_back(), *self._turns.take_back()]
        for what in started:
            live = self.known[what.key] = Live(what, self.standing, 0.0)
            self._busy += 1
            self._awaited += 1
            back.append(live)
        for live in back:
            live.unwritten += 1
            self._over(live)
            self.teller.run("run handed back", live.run)
            self._put(live, self._closing(live, "cancelled", "unhanded", _UNHANDED))
        return len(back)

    def taken_away(self, running: Iterable[UUID], known: Iterable[UUID]) -> None:
        """Tell the handlers of runs that were `known` and do not run any more: others have closed them."""
        for key in set(known) - set(running):
            live = self.known.get(key)
            if live is not None and not (live.over or live.told or live.parting):
                self._tell(live, "its run was closed by someone else")
                self.teller.warn_run("run taken away", live.run)

    def give_up(self, reason: str) -> None:
        """Tell all handlers to stop: others close their runs, and nothing is written of them here."""
        for live in list(self.known.values()):
            if not (live.over or live.told or live.parting):
                self._tell(live, reason)

    def tell_all(self, reason: str, *, interrupt: bool) -> None:
        """Tell all handlers to stop; with `interrupt`, those on the event loop are cancelled, too."""
        for live in list(self.known.values()):
            if not live.over and not live.parting:
                live.run.cancelled.set(reason)
                if interrupt and live.task is not None and live.begun:
                    live.task.cancel()

    async def ended(self) -> None:
        """Wait until every handler has ended, or was told to: one on a thread cannot be ended."""
        await self._idle.wait()

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._threads.close()
        for delivery in self.deliveries.values():
            await delivery.close()

    def _take_turn(self, live: Live, handler: AsyncHandler) -> None:
        live.task = asyncio.get_running_loop().create_task(self._run(live, handler))
        live.task.add_done_callback(lambda _: self._turns.ended())

    async def _run_noted(self, live: Live, handler: AsyncHandler) -> None:
        """Run what goes to another machine; the ledger hears of it first, so no other process sends it."""
        try:
            mine = await self._notes.handed(live.run)
        except Exception as error:  # noqa: BLE001 - its run's failure, and no other's
            self._ended(live, Ending("failed", error=f"its hand-over could not be noted: {error}"))
            return
        if mine or live.told:
            await self._run(live, handler)
        else:
            self.teller.warn_run("run is closed, or another process has it", live.run)
            self._over(live)

    async def _run(self, live: Live, handler: AsyncHandler) -> None:
        if live.told:
            self._over(live)
            return
        self._begun(live)
        try:
            answer = await handler(live.run)
            ending = answer if isinstance(answer, Ending) else returned(answer)
            if ending.how == "handed off":
                live.parting = True
                await self._notes.release(live.run)
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - its run's failure, whatever
            ending = raised(error)
        except asyncio.CancelledError as error:
            reason = live.run.cancelled.reason
            ending = raised(error) if reason is None else Ending("failed", error=f"interrupted: {reason}")
            if live.parting or live.told:
                # Its work goes on elsewhere; or it stopped as told, and its closing is written already.
                self._over(live)
                return
        self._ended(live, ending)

    def _begun(self, live: Live) -> None:
        live.begun = True
        self.teller.run("run handed over", live.run)

    def _ended(self, live: Live, ending: Ending) -> None:
        """A handler has ended; where its run is closed already, the ledger keeps this as evidence."""
        if ending.how == "handed off":
            self.teller.run("run handed off", live.run)
            self._over(live)
            return
        live.unwritten += 1
        self._over(live)
        if ending.outcome == "succeeded":
            self.teller.run("run ended", live.run)
        else:
            self.teller.warn_run("run failed", live.run, error=ending.error)
        closing = self._closing(live, ending.outcome, "finish", ending)
        if ending.how == "gone":
            closing.outcome = closing.reason = AGENT_GONE
            closing.mint = False
        self._put(live, closing)

    def _closing(self, live: Live, state: Closed, why: Why, ending: Ending) -> Closing:
        subject = live.what.subject
        return Closing(
            subject.tenant,
            subject.task,
            live.what.key,
            state,
            why,
            incarnation=self.teller.incarnation,
            reason="unhanded" if why == "unhanded" else None,
            result=ending.result,
            error=ending.error,
            crumb=live.run.crumb,
        )

    def _over(self, live: Live) -> None:
        if not live.over:
            live.over = True
            self._busy -= 1
            if not live.told:
                self._await_no_more()
            self._forget(live)
            self.freed()

    def _await_no_more(self) -> None:
        self._awaited -= 1
        if not self._awaited:
            self._idle.set()

    def _forget(self, live: Live) -> None:
        if live.over and not live.unwritten:
            self.known.pop(live.what.key, None)
            if self.spans is not None:
                self.spans.forget(live.what.key)

    def _tell(self, live: Live, reason: str) -> None:
        if not live.told:
            self._await_no_more()
        live.told = True
        live.run.cancelled.set(reason)
        if live.task is not None and live.begun:
            live.task.cancel()

    def _watch(self, at: float) -> None:
        """Wake at the first deadline; it is looked for anew when that time has come."""
        if self._timer is not None:
            if self._timer.when() <= at:
                return
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(at, self._look_at_deadlines)

    def _look_at_deadlines(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        first = None
        for live in list(self.known.values()):
            if live.over or live.told:
                continue
            if live.ends_at <= now:
                self._time_out(live)
            elif first is None or live.ends_at < first:
                first = live.ends_at
        if first is not None:
            self._watch(first)

    def _time_out(self, live: Live) -> None:
        seconds = live.what.subject.definition.timeout_s
        error = f"ran past its timeout of {seconds} s"
        if not live.begun:
            what = "no worker was free" if live.task is None else "its hand-over could not be noted"
            error = f"{what} within its timeout of {seconds} s"
        self.teller.warn_run("run timed out", live.run, error=error)
        live.unwritten += 1
        self._tell(live, error)
        if not live.begun:
            self._over(live)
        self._put(live, self._closing(live, "timed_out", "overdue", Ending("failed", error=error)))


def _nothing() -> None:
    """Nobody waits for a free worker yet."""
