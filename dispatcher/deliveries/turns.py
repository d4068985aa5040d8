"""Turns for what may run only so many at once. A run without one has not begun, and can be taken back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from dispatcher.live import Live
from dispatcher.registry import AsyncHandler

Waiting = tuple[Live, AsyncHandler]


class Turns:
    """At most `most` at once; `begin` is called for each run whose turn has come."""

    def __init__(self, most: int, begin: Callable[[Live, AsyncHandler], None]) -> None:
        self.waiting: deque[Waiting] = deque()
        self._most = most
        self._busy = 0
        self._begin = begin

    @property
    def free(self) -> int:
        """Turns that could be taken at once."""
        return self._most - self._busy

    def hand_over(self, live: Live, handler: AsyncHandler) -> None:
        """Give a run its turn, or let it wait for one."""
        self.waiting.append((live, handler))
        self._fill()

    def ended(self) -> None:
        """A turn is over."""
        self._busy -= 1
        self._fill()

    def take_back(self) -> list[Live]:
        """The runs that got no turn; they get none any more."""
        back = [live for live, _ in self.waiting if not live.over]
        self.waiting.clear()
        return back

    def _fill(self) -> None:
        while self.waiting and self._busy < self._most:
            live, handler = self.waiting.popleft()
            if not live.over:
                self._busy += 1
                self._begin(live, handler)
