"""When the claimer looks again: at a time, or when it is woken; and not too often where nothing is found."""

from __future__ import annotations

import asyncio

from dispatcher.moves import Look

# Between a pass that found nothing and the next one, at least.
LEAST_S = 0.005


class Pace:
    """Sleeps between passes, at most `tick_s`; hints, ends of handlers and a stop wake it."""

    def __init__(self, tick_s: float) -> None:
        self.tick_s = tick_s
        self._woken = asyncio.Event()
        self._pause = LEAST_S

    def wake(self) -> None:
        """Look again at once."""
        self._woken.set()

    def wake_in(self, seconds: float) -> None:
        """Look again after so many seconds; what lies beyond the tick is found by the tick."""
        if seconds < self.tick_s:
            asyncio.get_running_loop().call_later(max(seconds, 0.0), self._woken.set)

    async def after(self, look: Look | None) -> None:
        """Sleep until there is a reason to look again.

        A row that is due but not free is looked at soon, and then ever less often: its holder may be slow.
        What a batch left over, since another row of its task has started, is looked at at once.
        """
        if look is None or look.full or look.claimed.left:
            return
        found = look.claimed.looked_at > 0
        delay = self.tick_s
        self._pause = min(self._pause * 2, self.tick_s) if look.held and not found else LEAST_S
        if look.held:
            delay = self._pause
        if look.next_at is not None:
            delay = min(delay, look.next_at - asyncio.get_running_loop().time())
        if not found and self._woken.is_set():
            await asyncio.sleep(LEAST_S)
        await self.sleep(delay if found else max(delay, LEAST_S))

    async def sleep(self, seconds: float) -> None:
        """Sleep so long, or until woken."""
        if seconds > 0:
            timer = asyncio.get_running_loop().call_later(seconds, self._woken.set)
            await self._woken.wait()
            timer.cancel()
        self._woken.clear()
