"""What a dispatcher does now and then, on a connection of its own: its heartbeat, and what others left.

Every period it closes runs past their deadline and runs whose process is gone, a transaction for each tenant,
and says what it looked at, also when it found nothing (I14). Each step stands alone: one that fails is said,
and the next one is done all the same. Who is gone is looked for more often: the work of a process that dies
begins again elsewhere within two seconds, where its author has asked for that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from itertools import groupby
from operator import attrgetter

from dispatcher.line import Line
from dispatcher.moves import list_aside
from dispatcher.state import State
from dispatcher.telling import Teller
from dispatcher.workers import Workers
from ledger.errors import LedgerError, OutcomeUnknown, Unreachable
from ledger.moves.close import Closings
from ledger.moves.handing import take_unhanded
from ledger.moves.presence import (
    Heartbeat,
    beat,
    close_overdue,
    end,
    list_overdue,
    lose,
    never_sent,
    observe,
    runs_of,
    still_running,
)
from ledger.statements.dispatch import AsideRow
from ledger.statements.presence import OwnRun

# Rows that one round takes at most; the rest waits for the next.
ROUND = 1000


class Keeper:
    """Keeps house every `period_s`. `asides` takes the rows whose next try has come, `earliest` the seconds
    until a retry that it minted may start; `taken`, if there is one, hears that runs were claimed over which
    a process that is gone had never sent; `expelled` by whom and why a person has ended this process.
    """

    def __init__(self, line: Line, state: State, workers: Workers, period_s: float, look_s: float) -> None:
        self.asides: Callable[[Sequence[AsideRow]], None] = _ignore
        self.earliest: Callable[[float], None] = _ignore
        self.taken: Callable[[], None] | None = None
        self.expelled: Callable[[str], None] = _ignore
        # When the heartbeat was last written, or could first have been.
        self.beaten_at = time.monotonic()
        self._line = line
        self._state = state
        self._workers = workers
        self._teller: Teller = workers.teller
        self._period_s = period_s
        self._look_s = min(look_s, period_s)
        # Whose absence was said to be deferred: it is said once, not at each look.
        self._deferred: list[int] = []

    async def run(self) -> None:
        """Keep house until cancelled; a change of state is written at once."""
        loop = asyncio.get_running_loop()
        while self._teller.incarnation is None:
            # Nobody yet in whose name anything could be written.
            await self._state.changed.wait()
            self._state.changed.clear()
        while True:
            began = loop.time()
            await self.round()
            while (left := began + self._period_s - loop.time()) > 0:
                try:
                    async with asyncio.timeout(min(left, self._look_s)):
                        await self._state.changed.wait()
                except TimeoutError:
                    if left > self._look_s:
                        await self._step("absent processes", self._absent)
                else:
                    await self._step("heartbeat", self.beat)

    async def round(self) -> None:
        """One round of all that is done now and then."""
        for what, step in (
            ("heartbeat", self.beat),
            ("overdue runs", self._overdue),
            ("absent processes", self._absent),
            ("rows set aside", self._aside),
            ("own runs", self._own_runs),
        ):
            await self._step(what, step)

    async def beat(self) -> None:
        """Write the heartbeat, if there is an incarnation that could have one."""
        self._state.changed.clear()
        incarnation, counts = self._teller.incarnation, self._teller.counts
        if incarnation is not None:
            said = Heartbeat(
                self._state.word,
                self._state.why,
                counts["looked_at"],
                counts["started"],
                counts["finished"],
                sorted(self._workers.deliveries),
            )
            await self._line.run(beat(incarnation, said))
            self.beaten_at = time.monotonic()

    async def _step(self, what: str, step: Callable[[], Awaitable[None]]) -> None:
        try:
            await step()
        except (Unreachable, OutcomeUnknown) as error:
            self._teller.say("housekeeping waits for the database", step=what, why=str(error))
        except Exception as error:  # noqa: BLE001 - said, and the next step is another's
            self._teller.warn("housekeeping failed", step=what, why=f"{type(error).__name__}: {error}")

    async def _overdue(self) -> None:
        found = await self._line.run(list_overdue(ROUND))
        closed = 0
        for tenant, runs in groupby(found, attrgetter("tenant")):
            move = close_overdue(tenant, list(runs), f"incarnation {self._teller.incarnation}")
            closed += await self._close(tenant, self._line.run(move))
        self._teller.counts["timed_out"] += closed
        self._report(closed, "looked for overdue runs", rows=len(found), closed=closed)

    async def _absent(self) -> None:
        seen = await self._line.run(observe(self._teller.incarnation, timedelta(seconds=self._period_s)))
        if seen.expelled is not None:
            self.expelled(seen.expelled)
            return
        if seen.deferred != self._deferred and seen.deferred:
            self._teller.warn(
                "more than half of the processes seem absent: no verdict for one period",
                looked_at=seen.looked_at,
                absent=len(seen.deferred),
            )
        self._deferred = seen.deferred
        lost = 0
        for gone in seen.gone:
            runs = await self._line.run(runs_of(gone.id))
            for tenant, group in groupby(runs, attrgetter("tenant")):
                own = list(group)
                await self._take(tenant, gone.id, own)
                move = lose(tenant, gone.id, own, f"incarnation {self._teller.incarnation}")
                lost += await self._close(tenant, self._line.run(move))
            why = gone.expelled or "absent twice"
            await self._line.run(end(gone.id, f"gone: {why}"))
            who = {"absent": gone.id, "slot": gone.slot, "host": gone.host}
            self._teller.warn("process gone", **who, why=why, runs=len(runs))
        self._teller.counts["lost"] += lost
        self._report(
            len(seen.first_seen) + len(seen.gone),
            "looked for absent processes",
            looked_at=seen.looked_at,
            first_seen=len(seen.first_seen),
            gone=len(seen.gone),
            back=len(seen.back),
            lost=lost,
        )

    async def _take(self, tenant: str, gone: int, runs: Sequence[OwnRun]) -> None:
        """Claim over what was never sent, of the kinds that are delivered here: it is handed over again."""
        keys = [run.key for run in runs if never_sent(run) and run.delivery in self._workers.deliveries]
        new, told = self._teller.incarnation, self.taken
        if not keys or new is None or told is None or self._state.word != "active":
            return
        taken = await self._line.run(take_unhanded(tenant, gone, new, keys))
        self._teller.say("runs never sent, claimed over", tenant=tenant, absent=gone, runs=len(taken))
        if taken:
            told()

    async def _close(self, tenant: str, closing: Awaitable[Closings]) -> int:
        """Wait for one tenant's closings; its failure is its own (I12). How many counted."""
        try:
            done = await closing
        except (Unreachable, OutcomeUnknown):
            raise
        except LedgerError as error:
            self._teller.warn("closing runs failed", tenant=tenant, why=str(error))
            return 0
        if done.wait is not None:
            self.earliest(done.wait.total_seconds())
        return len(done.counted)

    async def set_aside(self) -> list[AsideRow]:
        """Rows that were set aside and whose next try has come."""
        found = await self._line.run(list_aside(ROUND, list(self._workers.deliveries)))
        self._report(len(found), "looked for rows set aside", rows=len(found))
        return found

    async def _aside(self) -> None:
        self.asides(await self.set_aside())

    async def _own_runs(self) -> None:
        """Handlers of runs that others have closed are told; not while the runs are claimed over."""
        incarnation, known = self._teller.incarnation, frozenset(self._workers.known)
        if incarnation is not None and known:
            running = await self._line.run(still_running(incarnation))
            if self._workers.standing.present and incarnation == self._teller.incarnation:
                self._workers.taken_away(running, known)

    def _report(self, found: int, what: str, **facts: object) -> None:
        (self._teller.say if found else self._teller.quiet)(what, **facts)


def _ignore(_: object) -> None:
    """Nobody listens yet."""
