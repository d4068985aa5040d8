"""Writes how runs ended: in batches, as soon as the connection is free, and each alone where a batch fails.

A closing stays here until the ledger has taken it. One whose answer was lost is said again; one that fails
alone waits, each time twice as long, while the others go on (I12).
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from dispatcher.line import Line
from dispatcher.live import Live
from dispatcher.telling import Teller
from ledger.errors import Busy, OutcomeUnknown, Unreachable
from ledger.moves.close import Closing, close

if TYPE_CHECKING:
    from dispatcher.spans import RunSpans

BATCH = 500
# How long a closing that fails alone waits, and the connection after it was lost.
PAUSE_S, PAUSE_MOST_S = 0.1, 60.0
RECONNECT_MOST_S = 5.0

Item = tuple[Live, Closing]


class Writer:
    """Owns the connection of finishes. `taken` hears of each closing that has become of the ledger's, `freed`
    of each batch; `earliest` how many seconds from now a retry or a row that waited may start.
    """

    def __init__(self, line: Line, teller: Teller) -> None:
        self.taken: Callable[[Live], None] = _ignore
        self.earliest: Callable[[float], None] = _ignore
        self.freed: Callable[[], None] = _nothing
        self._line = line
        self._teller = teller
        self._queue: deque[Item] = deque()
        self._waiting = 0
        self._there = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._pauses: dict[UUID, float] = {}
        # Where tracing is on.
        self.spans: RunSpans | None = None

    @property
    def unwritten(self) -> int:
        """Closings that the ledger has not taken yet."""
        return len(self._queue) + self._waiting

    def put(self, live: Live, closing: Closing) -> None:
        """Take a closing to be written."""
        self._queue.append((live, closing))
        self._there.set()
        self._empty.clear()

    async def written(self) -> None:
        """Wait until nothing is left to be written."""
        await self._empty.wait()

    async def run(self) -> None:
        """Write until cancelled."""
        pause = PAUSE_S
        while True:
            await self._there.wait()
            batch = [self._queue.popleft() for _ in range(min(BATCH, len(self._queue)))]
            self._waiting += len(batch)
            left = await self._write(batch)
            self._waiting -= len(batch)
            self._queue.extendleft(reversed(left))
            self.freed()
            if not self._queue:
                self._there.clear()
                if not self._waiting:
                    self._empty.set()
            if left:
                await asyncio.sleep(pause)
                pause = min(pause * 2, RECONNECT_MOST_S)
            else:
                pause = PAUSE_S

    async def _write(self, batch: Sequence[Item]) -> list[Item]:
        """Write a batch; what is to be said again, since no server answered."""
        try:
            await self._close(batch)
        except OutcomeUnknown as error:
            self._teller.say("finishes unanswered, saying them again", rows=len(batch), why=str(error))
            return _again(batch)
        except Unreachable as error:
            self._teller.say("finishes wait for the database", rows=len(batch), why=str(error))
            return list(batch)
        except Exception as error:  # noqa: BLE001 - one row's defect must not keep the others
            if len(batch) == 1:
                self._set_aside(batch[0], error)
                return []
            self._teller.warn(
                "batch of finishes failed, each is written alone", rows=len(batch), why=str(error)
            )
            return await self._one_by_one(batch)
        return []

    async def _one_by_one(self, batch: Sequence[Item]) -> list[Item]:
        for n, item in enumerate(batch):
            left = await self._write([item])
            if left:
                return [*left, *batch[n + 1 :]]
        return []

    async def _close(self, batch: Sequence[Item]) -> None:
        ordered = sorted(batch, key=lambda item: item[1].key.int)
        began = 0 if self.spans is None else time.time_ns()
        done = await self._line.run(close([closing for _, closing in ordered]))
        self._teller.counts["finished"] += len(done.counted)
        for closing in done.late:
            self._teller.warn(
                "finish came too late, kept as evidence",
                tenant=closing.tenant,
                task=closing.task,
                key=closing.key,
                state=closing.state,
            )
        still = {closing.key for closing in done.still}
        if self.spans is not None:
            self.spans.finished(began, [closing for _, closing in ordered if closing.key not in still])
        for live, closing in ordered:
            self._pauses.pop(closing.key, None)
            if closing.key in still:
                self._later((live, replace(closing, incarnation=self._teller.incarnation)))
            else:
                self._teller.run("run written", live.run, state=closing.state)
                self.taken(live)
        if done.wait is not None:
            self.earliest(done.wait.total_seconds())

    def _set_aside(self, item: Item, error: Exception) -> None:
        live, closing = item
        self._teller.warn_run("finish failed alone", live.run, state=closing.state, why=str(error))
        if closing.mint and not isinstance(error, Busy):
            # What fails is most likely its retry: the run is closed without one, which says why.
            closing = replace(closing, mint=False, reason=f"no retry, opening it failed: {error}"[:2000])
        self._later((live, closing))

    def _later(self, item: Item) -> None:
        """Say a closing again after a pause."""
        key = item[1].key
        pause = self._pauses[key] = min(self._pauses.get(key, PAUSE_S / 2) * 2, PAUSE_MOST_S)
        self._waiting += 1

        def back() -> None:
            self._waiting -= 1
            self.put(*item)

        asyncio.get_running_loop().call_later(pause, back)


def _again(batch: Sequence[Item]) -> list[Item]:
    return [(live, replace(closing, again=True)) for live, closing in batch]


def _ignore(_: object) -> None:
    """Nobody listens yet."""


def _nothing() -> None:
    """Nobody waits until there is less to write."""
