"""What every kind of delivery is to the dispatcher: it names the handler of a definition, and nothing else.

The rest is the same for all: deadlines, cancellation, bounds on what is kept, and that whatever a handler
raises fails its own run alone.
"""

from __future__ import annotations

from typing import Protocol

from dispatcher.registry import Handler
from ledger.authored.models import Definition


class Delivery(Protocol):
    """One kind, such as `http`. `looped` and `in_turn` say whether its handlers run on the event loop, as
    many as there are, or need a thread or a turn of which there are few.
    """

    @property
    def looped(self) -> bool: ...

    @property
    def in_turn(self) -> bool: ...

    def handler(self, definition: Definition) -> Handler | str:
        """The handler of a run of this definition, or why there is none: the run's failure, for a person."""
        ...

    async def close(self) -> None:
        """Let go of what it holds open; no run is in it any more."""
        ...
