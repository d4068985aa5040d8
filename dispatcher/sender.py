"""Tells subscribers of closings: each by signed webhooks, at its own pace, from where it is in the outbox.

It stands beside the dispatcher and shares nothing with it but the database: what becomes of it delays no
start. Each subscriber that has something new is taken up by one process at a time, for longer than a window
of events can take; a receiver that is dead costs some patience now and then, and holds up nobody but itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from dispatcher.deliveries.posting import Address, Poster, read_address
from dispatcher.deliveries.signature import Signer
from dispatcher.line import Line
from dispatcher.telling import Teller
from ledger.errors import BadInput, LedgerError
from ledger.facts import instant_text
from ledger.moves.outbox import Look, Sent, Window, note, take
from ledger.statements.outbox import Event, Subscriber

LOOK_S = 1.0
# Receivers at once, and events to one at once.
AT_ONCE, WINDOW = 100, 16
# And events to all of them at once.
POSTS = 256
# How long one event may take from its name's look-up to its answer; and how long whoever sends a window has
# the subscriber to itself: longer than twice that.
PATIENCE_S, HOLD_S = 15.0, 60.0
# Between tries to reach one that does not take its events, from and to.
RETRY_S, RETRY_MOST_S = 1.0, 300.0
ERROR_MOST = 500


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass of telling did; `problems` are what was said of receivers that failed."""

    sent: int
    problems: list[str]


class Sender:
    """Sends what is new to whoever is to be told. `await run()` works until cancelled, `await once()` does
    one pass, `await aclose()` ends it.
    """

    def __init__(self, dsn: str, poster: Poster, teller: Teller, patience_s: float = PATIENCE_S) -> None:
        self._line = Line(dsn, "telling")
        self._poster = poster
        self._teller = teller
        self._patience_s = patience_s
        self._sending: set[asyncio.Task[None]] = set()
        self._freed = asyncio.Event()
        self._posts = asyncio.Semaphore(POSTS)

    async def run(self) -> None:
        """Look for what is new, again and again; what goes wrong is said, and stops nothing."""
        await self._line.unprepared()
        while True:
            self._freed.clear()
            try:
                more = (await self._look()).more
            except LedgerError as error:
                self._teller.say("telling waits for the database", why=str(error))
                more = False
            if not more:
                # Whoever has sent a window may have more to send.
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_S):
                        await self._freed.wait()

    async def once(self) -> Pass:
        """Send until nobody has anything that can be sent now. Raises what the database raises."""
        await self._line.unprepared()
        while True:
            self._freed.clear()
            look = await self._look()
            if self._sending and not look.windows:
                await self._freed.wait()
            elif not self._sending and not look.more:
                return Pass(self._teller.counts["told"], list(self._teller.problems))

    async def test(self, one: Subscriber) -> str | None:
        """Send a subscriber one message that tells of nothing; None if it arrived, else what went wrong."""
        try:
            signer, url = Signer(read_secrets(one.secret)), read_address(one.url)
        except BadInput as error:
            return str(error)
        message: dict[str, object] = {
            "type": "ledger.test",
            "timestamp": instant_text(one.moment),
            "data": {"name": one.name},
        }
        return await self._post(url, signer, f"test_{one.name}_{time.time_ns()}", message)

    async def aclose(self) -> None:
        """End. What is being sent has a moment to be noted; the rest is sent again by whoever comes next."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=1.0)
        sending = list(self._sending)
        for task in sending:
            task.cancel()
        await asyncio.gather(*sending, return_exceptions=True)
        await self._line.close()
        await self._poster.close()

    async def _look(self) -> Look:
        """Give numbers to what has committed, and begin to send what is new."""
        move = take(AT_ONCE - len(self._sending), WINDOW, timedelta(seconds=HOLD_S))
        look = await self._line.run(move)
        for window in look.windows:
            task = asyncio.create_task(self._serve(window))
            self._sending.add(task)
            task.add_done_callback(self._served)
        return look

    def _served(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        self._freed.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._teller.warn("telling failed", why=f"{type(error).__name__}: {error}")

    async def _serve(self, window: Window) -> None:
        """Send one subscriber its window, and note how far it came."""
        to = window.to
        errors = await self._send(window)
        failed = next((n for n, error in enumerate(errors) if error is not None), None)
        if failed is None:
            sent = Sent(window.upto, len(window.events))
        else:
            # What arrived behind the first that did not is sent again: by its id the receiver knows it.
            after = window.events[failed - 1].n if failed else to.after
            said = str(errors[failed])[:ERROR_MOST]
            tries = 1 if failed else to.failures + 1
            sent = Sent(after, failed, said, tries, timedelta(seconds=backoff_s(tries)))
            self._teller.warn("subscriber not told", subscriber=to.name, tries=tries, why=said)
        self._teller.counts["told"] += sent.events
        try:
            noted = await self._line.run(note(to, sent))
        except LedgerError as error:
            self._teller.warn("how far one was told is not noted", subscriber=to.name, why=str(error))
        else:
            if not noted:
                self._teller.say("subscriber changed while it was told", subscriber=to.name)
        self._teller.quiet("told", subscriber=to.name, events=sent.events)

    async def _send(self, window: Window) -> Sequence[str | None]:
        """What went wrong with each event of a window, up to the first or to the last.

        The first goes alone: a receiver that is dead, or whose name nobody looks up, is tried with one.
        """
        first, *rest = window.events
        try:
            signer, url = Signer(read_secrets(window.to.secret)), read_address(window.to.url)
        except BadInput as error:
            return [str(error)]
        wrong = await self._post(url, signer, event_id(first), message_of(first))
        if wrong is not None:
            return [wrong]
        posts = [self._post(url, signer, event_id(event), message_of(event)) for event in rest]
        return [None, *await asyncio.gather(*posts)]

    async def _post(self, url: Address, signer: Signer, ident: str, message: dict[str, object]) -> str | None:
        """Send one message; None where the receiver took it, else what went wrong."""
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        async with self._posts:
            headers = signer.headers(ident, int(time.time()), body)
            return await self._poster.told(url, headers, body, self._patience_s)


def backoff_s(tries: int) -> float:
    """How long a receiver is left alone after so many failures in a row, in seconds."""
    return float(min(RETRY_S * 2 ** min(tries - 1, 20), RETRY_MOST_S))


def event_id(event: Event) -> str:
    """The `webhook-id` of an event: a key closes once, so it is the same however often it is sent; and it is
    another than the id of the run's own webhook, which is the key.
    """
    return f"closed_{event.key}"


def message_of(event: Event) -> dict[str, object]:
    """An event as it is sent; its type is `occurrence.` and its kind."""
    return {
        "type": f"occurrence.{event.kind}",
        "timestamp": instant_text(event.at),
        "data": {
            "n": event.n,
            "tenant": event.tenant,
            "task": event.task,
            "key": str(event.key),
            "slot": instant_text(event.due),
            "wake": event.wake,
            "reason": event.reason,
            "error": event.error,
            "blocker": None if event.blocker is None else str(event.blocker),
            "failures": event.failures,
            "retry": event.retry,
        },
    }


def read_secrets(where: str) -> str:
    """The secrets that `env:NAME` or `file:PATH` means, read anew each time.

    Raises `BadInput`, which quotes none.
    """
    kind, _, place = where.partition(":")
    if kind == "env":
        found = os.environ.get(place)
        if found is None:
            raise BadInput(f"telling: the secrets of {where} are not in this process's environment")
        return found
    try:
        return Path(place).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise BadInput(f"telling: the secrets of {where} cannot be read: {type(error).__name__}") from error
