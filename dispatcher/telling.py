"""What a dispatcher says: one line for each thing that happens, and the counts of all of them.

A line is a sentence and its facts as key=value, values with spaces as JSON texts. Whoever embeds a
dispatcher, and every test, can listen to the same sayings as they are said.
"""

from __future__ import annotations

import json
import logging
from collections import Counter, deque
from collections.abc import Callable
from typing import TypeAlias

from dispatcher.run import Run

Listener: TypeAlias = Callable[[str, dict[str, object]], None]

logger = logging.getLogger("ledger.dispatcher")

# So many things that went wrong are kept for the report of a tick.
PROBLEMS_MOST = 100


class Teller:
    """Says things, to the log and to a listener, and counts them."""

    def __init__(self, listener: Listener | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self.problems: deque[str] = deque(maxlen=PROBLEMS_MOST)
        self.incarnation: int | None = None
        # Every incarnation that this process has been.
        self.lives: set[int] = set()
        self._listener = listener

    @property
    def chatty(self) -> bool:
        """Whether anybody hears what is said at each start and finish; else it is not even put together."""
        return self._listener is not None or logger.isEnabledFor(logging.DEBUG)

    def quiet(self, what: str, **facts: object) -> None:
        """Say what happens all the time."""
        if self.chatty:
            self._say(logging.DEBUG, what, facts)

    def say(self, what: str, **facts: object) -> None:
        """Say what a person may want to know."""
        self._say(logging.INFO, what, facts)

    def warn(self, what: str, **facts: object) -> None:
        """Say what went wrong for one run, one row or one tenant, or for a while."""
        self.problems.append(_line(what, facts))
        self._say(logging.WARNING, what, facts)

    def run(self, what: str, run: Run, **facts: object) -> None:
        """Say, quietly, what happens to a run."""
        if self.chatty:
            self._say(logging.DEBUG, what, self._of(run) | facts)

    def warn_run(self, what: str, run: Run, **facts: object) -> None:
        """Say what went wrong with a run."""
        self.warn(what, **(self._of(run) | facts))

    def _of(self, run: Run) -> dict[str, object]:
        return {
            "tenant": run.tenant,
            "task": run.task,
            "key": run.key,
            "slot": run.slot.isoformat(),
            "attempt": run.attempt,
        }

    def _say(self, level: int, what: str, facts: dict[str, object]) -> None:
        facts.setdefault("incarnation", self.incarnation)
        if self._listener is not None:
            self._listener(what, facts)
        if logger.isEnabledFor(level):
            logger.log(level, "%s", _line(what, facts))


def _line(what: str, facts: dict[str, object]) -> str:
    return " ".join([what, *(f"{name}={_word(value)}" for name, value in facts.items() if value is not None)])


def _word(value: object) -> str:
    # A lone surrogate, which an error may quote, can be printed nowhere.
    text = str(value).encode("utf-8", "backslashreplace").decode()
    plain = text and text.isprintable() and not any(c in text for c in ' "=')
    return text if plain else json.dumps(text, ensure_ascii=False)
