"""What a dispatcher is doing, in one word, and why."""

from __future__ import annotations

import asyncio
from typing import Literal, TypeAlias

from dispatcher.telling import Teller

Word: TypeAlias = Literal["starting", "active", "draining", "blocked", "stopped"]


class State:
    """`starting` until the first pass, `active`, `blocked` with the reason, `draining`, `stopped`."""

    def __init__(self, teller: Teller) -> None:
        self.word: Word = "starting"
        self.why = ""
        # Set by each change, cleared by whoever has written it down.
        self.changed = asyncio.Event()
        self._teller = teller

    def set(self, word: Word, why: str = "") -> None:
        """Change the state; to be the same again is no change."""
        if (word, why) == (self.word, self.why):
            return
        self.word, self.why = word, why
        self.changed.set()
        say = self._teller.warn if word == "blocked" else self._teller.say
        say("state", state=word, why=why or None)
