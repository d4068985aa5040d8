"""Claims what is due and hands it over. Only this task hands runs over, so none is handed over twice.

A batch that fails is done again row by row, and the row that fails alone is set aside (I12). A claim whose
answer was lost is read back: what runs under this incarnation and is not known here was claimed by it.

Where more is due than a batch takes, two batches are under way at a time, each on a connection of its own:
the server works at the one while this process decides on the other. What one of them holds the other passes
by, so nothing is claimed twice; read back is only once both have ended.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from dispatcher.fairness import PLAIN, Fairness
from dispatcher.lag import Lag
from dispatcher.line import Line
from dispatcher.moves import (
    Claimant,
    Look,
    list_due,
    look,
    look_aside,
    look_at,
    look_on,
    read_back,
    set_aside,
)
from dispatcher.presence import Presence
from dispatcher.telling import Teller
from dispatcher.workers import Workers
from dispatcher.writer import Writer
from ledger.errors import Busy, OtherRelease, OutcomeUnknown, PresenceGone, Unreachable
from ledger.moves.expel import check_not_expelled
from ledger.moves.presence import InForce, end, runs_of, take_over
from ledger.moves.step import Move
from ledger.statements.dispatch import AsideRow
from ledger.statements.presence import OwnRun, Place
from projector.moves.decide import Started
from projector.moves.start import Claimed

if TYPE_CHECKING:
    from dispatcher.spans import RunSpans

R = TypeVar("R")

BATCH = 500
# A second batch beside the first is worth its turns only where it is large.
SECOND_LEAST = BATCH // 2
# Handlers that end faster than their ends are written must not fill the memory.
UNWRITTEN_MOST = 4 * BATCH


class Claimer:
    """Owns the connections of claims, the incarnation's doubts, and the hand-over."""

    def __init__(
        self, lines: Sequence[Line], presence: Presence, workers: Workers, writer: Writer, own: InForce
    ) -> None:
        # Rows that were set aside and whose time has come.
        self.asides: deque[AsideRow] = deque()
        self.fairness = Fairness()
        # Set when the process stops: what is claimed from then on is handed back.
        self.stopping = False
        self._line = lines[0]
        self._lines = lines
        self._presence = presence
        self._workers = workers
        self._writer = writer
        self._own = own
        self._teller: Teller = workers.teller
        # A claim was never answered: its runs may be ours.
        self.doubt = False
        # Rows that the batches under way may take.
        self._claiming = 0
        # Batches claimed, and how late the runs of them started.
        self.claims = 0
        self.lag = Lag()
        # The last batch was full: there is more.
        self._flooded = False
        # Where tracing is on.
        self.spans: RunSpans | None = None

    @property
    def free(self) -> int:
        """How many rows the next claim may take, beside those under way."""
        return min(
            BATCH,
            self._workers.free - self._claiming,
            UNWRITTEN_MOST - self._writer.unwritten - self._claiming,
        )

    async def settle(self) -> Claimant:
        """Be present, move the runs of former lives over, and clear up what was never answered.

        Raises `Unreachable`, `OutcomeUnknown` or `Busy` where that cannot be done now; it may be done again.
        """
        incarnation = await self._presence.take(self._line)
        for former in list(self._presence.former):
            await self._move_over(former, incarnation)
            self._presence.former.remove(former)
            self.doubt = True
        if self.doubt:
            # Others may raise it again while it is cleared up.
            self.doubt = False
            try:
                await self._read_back(incarnation)
            except BaseException:
                self.doubt = True
                raise
        self._presence.settled()
        return Claimant(incarnation, self._presence.held, self._own, list(self._workers.deliveries))

    async def turn(self, n: int) -> Look | None:
        """One pass: settle, the rows that were set aside, then a claim of at most `n` rows, handed over.

        None where the batch failed and each row was claimed alone. Raises what `settle` raises,
        `PresenceGone` or `OtherRelease` where the fence did not let it pass, and what the database says
        where it takes neither a claim nor that a row is set aside.
        """
        who = await self.settle()
        while self.asides and not self.stopping:
            aside = self.asides.popleft()
            await self._alone(look_aside(aside, who), Place(aside.tenant, aside.task, aside.key))
        try:
            if self._flooded:
                return await self._flood(who)
            found = await self._batch(
                self._line, n, look(n, self._in_turn(who), asyncio.get_running_loop().time)
            )
        except (Unreachable, OutcomeUnknown, PresenceGone, OtherRelease):
            raise
        except Exception as error:
            self._teller.warn("batch of claims failed, each row is claimed alone", rows=n, why=str(error))
            places = await self._line.run(list_due(n, list(self._workers.deliveries)))
            if not places:
                # No row is to blame: the database refuses the claim itself.
                raise
            for place in places:
                if not self.stopping:
                    await self._alone(look_at(place, who), place)
            return None
        self._flooded = found.full
        return found

    async def _flood(self, who: Claimant) -> Look:
        """Claim batch after batch, two under way at a time, until one was not full or something else is to be
        done; answers that there may be more. An error ends it, once the other batch has ended, too.
        """
        self._flooded = False
        more, idle = True, list(self._lines)
        going: dict[asyncio.Task[Look], Line] = {}
        try:
            while True:
                while more and idle and self._goes_on and self.free >= (SECOND_LEAST if going else 1):
                    line = idle.pop()
                    n = self.free
                    going[asyncio.create_task(self._batch(line, n, look_on(n, self._in_turn(who))))] = line
                if not going:
                    return Look(Claimed(), full=True)
                done, _ = await asyncio.wait(going, return_when=asyncio.FIRST_COMPLETED)
                idle += [going.pop(task) for task in done]
                for error in [task.exception() for task in done]:
                    if error is not None:
                        raise error
                more = more and all(task.result().full for task in done)
        except asyncio.CancelledError:
            for task in going:
                task.cancel()
            raise
        finally:
            await asyncio.gather(*going, return_exceptions=True)

    @property
    def _goes_on(self) -> bool:
        return not (self.stopping or self.doubt or self.asides)

    def _batch(self, line: Line, n: int, move: Move[Look]) -> Coroutine[object, object, Look]:
        """Claim at most `n` rows and hand them over, once that has been committed (I17).

        They count as taken from now on, not only once the coroutine has begun.
        """
        self._claiming += n
        return self._under_way(line, n, move)

    async def _under_way(self, line: Line, n: int, move: Move[Look]) -> Look:
        began = 0 if self.spans is None else time.time_ns()
        try:
            found = await self._claim(move, line)
        finally:
            self._claiming -= n
        self.claims += 1
        found = self._learn(found)
        if self.spans is not None:
            self.spans.claimed(began, found.claimed)
        self._hand_over(found.claimed)
        claimed = found.claimed
        self._teller.quiet("looked", rows=claimed.looked_at, started=len(claimed.started), held=found.held)
        return found

    def _in_turn(self, who: Claimant) -> Claimant:
        """The claimant, with whose turn it is."""
        turn = self.fairness.turn(asyncio.get_running_loop().time())
        return who if turn is PLAIN else replace(who, turn=turn)

    def _learn(self, found: Look) -> Look:
        """Take in whose turn is next; with a tenant left out, that it is looked at again."""
        self.fairness.learn(found.seen, found.claimed, asyncio.get_running_loop().time())
        again = self.fairness.next_at
        if again is None:
            return found
        return replace(found, next_at=again if found.next_at is None else min(again, found.next_at))

    async def _alone(self, move: Move[Claimed], place: Place) -> None:
        """Claim one row in a transaction of its own; where it fails alone, it is set aside and shown."""
        where = {"tenant": place.tenant, "task": place.task, "key": place.key}
        try:
            self._hand_over(await self._claim(move, self._line))
        except (Unreachable, OutcomeUnknown, PresenceGone, OtherRelease):
            raise
        except Busy as error:
            self._teller.say("row was not free", **where, why=str(error))
        except Exception as error:  # noqa: BLE001 - the row is set aside, with this as its reason (I12)
            await self._line.run(set_aside(place, f"{type(error).__name__}: {error}"))
            self._teller.counts["aside"] += 1
            self._teller.warn("row set aside", **where, why=str(error))

    async def _claim(self, move: Move[R], line: Line) -> R:
        """Run a claim; one that was not answered, or that the fence did not let pass, leaves its mark."""
        try:
            return await line.run(move)
        except OutcomeUnknown:
            self.doubt = True
            raise
        except PresenceGone as error:
            self._presence.gone(str(error))
            raise

    def _hand_over(self, claimed: Claimed) -> None:
        counts = self._teller.counts
        counts["looked_at"] += claimed.looked_at
        counts["started"] += len(claimed.started)
        self.lag.add(claimed.started)
        counts["skipped"] += claimed.skipped
        counts["waiting"] += claimed.waiting
        counts["retired"] += claimed.retired
        counts["aside"] += len(claimed.aside)
        for key, tenant, why in claimed.aside:
            self._teller.warn("row set aside", tenant=tenant, key=key, why=why)
        if claimed.replaced:
            self._workers.taken_away((), claimed.replaced)
        self._give(claimed.started)

    def _give(self, started: Sequence[Started]) -> None:
        if self.stopping:
            self._workers.hand_back(started)
        else:
            self._workers.hand_over(started, asyncio.get_running_loop().time())

    async def _move_over(self, former: int, new: int) -> None:
        """Claim the runs of a former life over to the new one, a transaction for each tenant.

        Raises `PresenceExpelled` where a person has ended that life, and so this process.
        """
        await self._line.run(check_not_expelled(former))
        runs: dict[str, list[OwnRun]] = {}
        for run in await self._line.run(runs_of(former)):
            runs.setdefault(run.tenant, []).append(run)
        moved = 0
        for tenant, own in runs.items():
            moved += len(await self._line.run(take_over(tenant, former, new, [run.key for run in own])))
        await self._line.run(end(former, f"presence lost; went on as incarnation {new}"))
        self._teller.say("runs claimed over", former=former, runs=moved)

    async def _read_back(self, incarnation: int) -> None:
        """Learn what runs under this incarnation: what is unknown is handed over, what has gone is told."""
        before = frozenset(self._workers.known)
        found = await self._line.run(read_back(incarnation, before))
        for place in found.unreadable:
            self._teller.warn(
                "run cannot be handed over, its deadline closes it",
                tenant=place.tenant,
                task=place.task,
                key=place.key,
                why="its definition cannot be read",
            )
        self._teller.say("claims read back", runs=len(found.running), unknown=len(found.unknown))
        self._teller.counts["started"] += len(found.unknown)
        self._give(found.unknown)
        self._workers.taken_away(found.running, before)
