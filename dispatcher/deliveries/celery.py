"""The kind `celery`: an existing engine runs the work on its own machines, the run's key as the task's id.

Once the broker has the message the run belongs to no process here: its worker finishes it by its key
(`celery_worker`), or its deadline does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol

from dispatcher.deliveries.message import message_of
from dispatcher.outcome import HANDED_OFF, Ending
from dispatcher.registry import Handler
from dispatcher.run import Run
from ledger.authored.models import Definition

# By this header of a message its worker knows whose run it is.
TENANT = "ledger_tenant"
# So many messages are sent at once; a broker that does not answer holds up no other kind.
SENDERS = 8


class App(Protocol):
    """What is needed of a `celery.Celery`: its broker and its routes."""

    def send_task(self, name: str, args: Sequence[object], **options: object) -> object: ...


class Celery:
    """Sends runs through a Celery app: the entrypoint is the task's name, the message its one argument."""

    looped = True
    in_turn = False

    def __init__(self, app: App) -> None:
        self._app = app
        self._threads = ThreadPoolExecutor(SENDERS, "ledger-celery")

    def handler(self, definition: Definition) -> Handler | str:
        """The task of that name; whether there is one only its workers know, and say."""
        return Handler(definition.entrypoint, partial(self._send, definition.entrypoint), noted=True)

    async def close(self) -> None:
        """Send no more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _send(self, name: str, run: Run) -> Ending:
        try:
            await asyncio.get_running_loop().run_in_executor(self._threads, self._publish, name, run)
        except Exception as error:  # noqa: BLE001 - every transport has errors of its own
            return Ending("failed", error=f"the broker took no message: {type(error).__name__}: {error}")
        return HANDED_OFF

    def _publish(self, name: str, run: Run) -> None:
        self._app.send_task(
            name,
            [message_of(run)],
            task_id=str(run.key),
            headers={TENANT: run.tenant},
            # A worker that comes to it later has nothing to do any more.
            expires=run.deadline,
            # The ledger keeps the result; nobody here waits at Celery's own.
            ignore_result=True,
        )
