"""A pool of threads for handlers that are no coroutines.

A run goes to a thread only when one is free, so it is always known which runs have begun. The threads are
daemons: a process that is told to end at once does not wait for a handler that never returns.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from dispatcher.live import Live
from dispatcher.outcome import Ending, raised, returned
from dispatcher.registry import SyncHandler


class Threads:
    """At most `most` threads, each started when it is first needed."""

    def __init__(
        self, most: int, begun: Callable[[Live], None], ended: Callable[[Live, Ending], None]
    ) -> None:
        self.most = most
        self.waiting: deque[tuple[Live, SyncHandler]] = deque()
        self._begun = begun
        self._ended = ended
        self._busy = 0
        self._started = 0
        self._jobs: queue.SimpleQueue[tuple[Live, SyncHandler] | None] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def free(self) -> int:
        """Threads that could take a run at once."""
        return self.most - self._busy

    def hand_over(self, live: Live, handler: SyncHandler) -> None:
        """Give a run to a free thread, or keep it until one is."""
        self.waiting.append((live, handler))
        self._fill()

    def take_back(self) -> list[Live]:
        """The runs that no thread has begun; they are not begun any more."""
        back = [live for live, _ in self.waiting]
        self.waiting.clear()
        return back

    def close(self) -> None:
        """Let the threads end, each after the handler it is in."""
        for _ in range(self._started):
            self._jobs.put(None)

    def _fill(self) -> None:
        while self.waiting and self._busy < self.most:
            live, handler = self.waiting.popleft()
            if live.over:
                continue
            self._busy += 1
            if self._busy > self._started:
                self._start()
            self._begun(live)
            self._jobs.put((live, handler))

    def _start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._started += 1
        threading.Thread(target=self._work, name=f"ledger-handler-{self._started}", daemon=True).start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            live, handler = job
            try:
                ending = returned(handler(live.run))
            except BaseException as error:  # noqa: BLE001 - whatever a handler raises is its run's failure
                ending = raised(error)
            # The loop is gone where the process ended without waiting for this handler.
            with suppress(RuntimeError):
                if self._loop is not None:
                    self._loop.call_soon_threadsafe(self._done, live, ending)

    def _done(self, live: Live, ending: Ending) -> None:
        self._busy -= 1
        self._ended(live, ending)
        self._fill()
