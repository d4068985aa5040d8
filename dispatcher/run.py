"""What a handler is given: one run, and the word that it is to stop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from datetime import datetime, timedelta
from uuid import UUID

from ledger.moves.retry import attempt_of
from projector.moves.decide import Started


class Cancelled:
    """Set once, when a run is to stop; to be asked or awaited from a coroutine and from a thread.

    In a coroutine `reason = await run.cancelled`, in a thread `run.cancelled.wait(seconds)`, in both
    `run.cancelled.is_set()` and, once it is set, `run.cancelled.reason`.
    """

    __slots__ = ("_event", "_waiting", "reason")

    # Only runs that are told to stop, or that wait for it, come here: one lock serves them all.
    _lock = threading.Lock()

    def __init__(self) -> None:
        self.reason: str | None = None
        self._event: threading.Event | None = None
        self._waiting: list[asyncio.Future[None]] = []

    def is_set(self) -> bool:
        return self.reason is not None

    def set(self, reason: str) -> None:
        """Say that the run is to stop; the first reason stays."""
        with self._lock:
            if self.reason is not None:
                return
            self.reason = reason
            event, waiting = self._event, self._waiting
            self._waiting = []
        if event is not None:
            event.set()
        for future in waiting:
            future.get_loop().call_soon_threadsafe(_wake, future)

    def wait(self, timeout: float | None = None) -> bool:
        """Block this thread until the run is to stop, at most so many seconds; whether it is."""
        with self._lock:
            if self.reason is not None:
                return True
            if self._event is None:
                self._event = threading.Event()
            event = self._event
        return event.wait(timeout)

    def __await__(self) -> Generator[object, None, str]:
        future: asyncio.Future[None] | None = None
        with self._lock:
            if self.reason is None:
                future = asyncio.get_running_loop().create_future()
                self._waiting.append(future)
        if future is not None:
            yield from future
        return self.reason or ""


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Standing:
    """Whether this process holds its presence; its runs share one."""

    __slots__ = ("present",)

    def __init__(self) -> None:
        self.present = True


class Run:
    """One run of a task: what a handler knows of it, and may say of it.

    `slot` is the instant that the schedule named, `started` when the ledger marked it as running, both aware
    in UTC by the database's clock. `key` is the token to make an outside effect happen once.
    """

    __slots__ = ("_crumb", "_standing", "_what", "cancelled")

    def __init__(self, what: Started, standing: Standing) -> None:
        self._what = what
        self._standing = standing
        self._crumb: str | None = None
        self.cancelled = Cancelled()

    def __repr__(self) -> str:
        return f"<Run {self.tenant}/{self.task} {self.slot.isoformat()} {self.key}>"

    @property
    def tenant(self) -> str:
        return self._what.subject.tenant

    @property
    def task(self) -> str:
        return self._what.subject.task

    @property
    def key(self) -> UUID:
        return self._what.key

    @property
    def slot(self) -> datetime:
        """The instant that this run stands for."""
        return self._what.due

    @property
    def started(self) -> datetime:
        return self._what.started

    @property
    def deadline(self) -> datetime:
        """When the run is closed as timed out, whatever the handler does."""
        return self._what.deadline

    @property
    def lateness(self) -> timedelta:
        """How long after its slot the run was started."""
        return self._what.started - self._what.due

    @property
    def attempt(self) -> int:
        """1 for the first run of a slot, 2 for its first retry."""
        return attempt_of(self._what.wake)[0] + 1

    @property
    def wake(self) -> str:
        """What woke it: `schedule`, `hint`, `retry:n`, `manual:id`, `backfill:id` or `rerun:n:…`."""
        return self._what.wake

    @property
    def payload(self) -> object:
        """The payload that the slot was projected with, the handler's own to change; None without one."""
        return self._what.subject.definition.payload

    @property
    def present(self) -> bool:
        """Whether this process holds its presence. While it does not, others may soon take the run for lost:
        a handler with a step before it that cannot be undone waits.
        """
        return self._standing.present

    @property
    def crumb(self) -> str | None:
        """The breadcrumb left last."""
        return self._crumb

    def breadcrumb(self, text: str) -> None:
        """Leave a note on the ledger's row, kept when the run closes; the last one counts.

        Raises TypeError for what is no text.
        """
        if not isinstance(text, str):
            raise TypeError(f"a breadcrumb is text, not {type(text).__name__}")
        self._crumb = text
