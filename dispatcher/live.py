"""A run that this process has in hand, from its claim until the ledger has taken its end."""

from __future__ import annotations

import asyncio

from dispatcher.run import Run, Standing
from projector.moves.decide import Started


class Live:
    """One run and how far it has come here. Only the event loop's thread touches it, but for `run`."""

    __slots__ = ("begun", "ends_at", "over", "parting", "run", "task", "told", "unwritten", "what")

    def __init__(self, what: Started, standing: Standing, ends_at: float) -> None:
        self.what = what
        self.run = Run(what, standing)
        # When its deadline comes, by the loop's clock.
        self.ends_at = ends_at
        self.task: asyncio.Task[None] | None = None
        # Handed to its handler; whose it is until then, nobody has begun.
        self.begun = False
        # Its handler has ended, or never begins.
        self.over = False
        # Another machine has taken it on, and the ledger is being told: nobody here answers for it any more.
        self.parting = False
        # Told to stop: its deadline came, its run was taken away, or the process stops.
        self.told = False
        # Closings of it that the ledger has not taken yet.
        self.unwritten = 0
