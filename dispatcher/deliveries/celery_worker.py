"""The other end of the kind `celery`: a worker of Celery finishes runs by their keys, however they end.

    app = Celery("jobs", broker=…)
    report_to(Ledger)

Tasks are Celery's own, and are not changed; those that no run stands behind are left alone.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from celery import signals

from dispatcher.deliveries.celery import TENANT
from ledger.errors import Busy, LedgerError, OutcomeUnknown, Superseded, Unreachable
from ledger.states import Outcome

logger = logging.getLogger("ledger.celery")

# How often a finish is tried that the database did not take, and how long after the first failure.
TRIES, PAUSE_S = 6, 0.5


class Door(Protocol):
    """What is needed of a tenant's door, as `Ledger.tenant` gives it."""

    def finish(
        self, key: str, outcome: Outcome, *, result: object, error: str | None, crumb: str | None
    ) -> object: ...


class Book(Protocol):
    """What is needed of a `Ledger`."""

    def tenant(self, tenant: str, *, by: str) -> Door: ...


@dataclass(frozen=True, slots=True)
class Said:
    """How a run ended."""

    outcome: Outcome
    result: object = None
    error: str | None = None
    crumb: str | None = None


class Reporter:
    """Hears Celery's signals, and finishes runs; `make` makes a ledger, one in each process of a worker."""

    def __init__(self, make: Callable[[], Book]) -> None:
        self._make = make
        self._books: dict[int, Book] = {}

    def succeeded(self, sender: object = None, result: object = None, **_: object) -> None:
        """A task has returned; an object that says `"status": "failed"` is a failure."""
        request = getattr(sender, "request", None)
        crumb = why = None
        if isinstance(result, dict):
            said = result.get("breadcrumb")
            crumb = said if isinstance(said, str) else None
            if result.get("status") == "failed":
                found = result.get("error", result)
                why = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, default=str)
        ended = Said("succeeded", result, None, crumb) if why is None else Said("failed", None, why, crumb)
        self._finish(getattr(request, "id", None), _tenant(request, None), ended)

    def failed(
        self,
        sender: object = None,
        task_id: object = None,
        exception: object = None,
        args: object = None,
        **_: object,
    ) -> None:
        """A task has raised, or its process has died, or it ran into a limit of Celery's."""
        text, name = str(exception), type(exception).__name__
        tenant = _tenant(getattr(sender, "request", None), args)
        self._finish(task_id, tenant, Said("failed", error=f"{name}: {text}" if text else name))

    def unknown(self, message: object = None, name: object = None, **named: object) -> None:
        """No task of that name is registered with the worker that took the message."""
        headers = getattr(message, "headers", None)
        tenant = headers.get(TENANT) if isinstance(headers, Mapping) else None
        why = f"no Celery task is registered under the name {name!r} with {socket.gethostname()}"
        self._finish(named.get("id"), tenant, Said("failed", error=why))

    def revoked(self, request: object = None, expired: object = False, **_: object) -> None:
        """A task was revoked; one that has expired is closed by its deadline."""
        if not expired:
            ended = Said("failed", error="the task was revoked")
            self._finish(getattr(request, "id", None), _tenant(request, None), ended)

    def _finish(self, key: object, tenant: object, said: Said) -> None:
        if not isinstance(tenant, str):
            # No run stands behind this task.
            return
        by = f"celery {socket.gethostname()}:{os.getpid()}"
        for n in range(TRIES):
            try:
                self._book().tenant(tenant, by=by).finish(
                    str(key), said.outcome, result=said.result, error=said.error, crumb=said.crumb
                )
            except (Busy, OutcomeUnknown, Unreachable) as failure:
                logger.warning("finish of %s waits for the database: %s", key, failure)
                time.sleep(PAUSE_S * 2**n)
            except Superseded as late:
                logger.warning("%s", late)
                return
            except LedgerError as failure:
                if said.result is None:
                    logger.exception("finish of %s failed", key)
                else:
                    self._finish(key, tenant, Said("failed", error=f"its result cannot be kept: {failure}"))
                return
            else:
                return
        logger.error("finish of %s was given up; its deadline closes it", key)

    def _book(self) -> Book:
        return self._books.setdefault(os.getpid(), self._books.get(os.getpid()) or self._make())


def _tenant(request: object, args: object) -> object:
    """Whose run a task is of: by the header of its message, or by its one argument; None of nobody's."""
    found = getattr(request, TENANT, None)
    if found is None and isinstance(args, Sequence) and args and isinstance(args[0], Mapping):
        found = args[0].get("tenant") if "key" in args[0] else None
    return found


def report_to(make: Callable[[], Book]) -> None:
    """Let this worker finish the runs behind its tasks; `make` makes a ledger, such as `Ledger` itself.

    To be called once, in the module of the app.
    """
    reporter = Reporter(make)
    signals.task_success.connect(reporter.succeeded, weak=False)
    signals.task_failure.connect(reporter.failed, weak=False)
    signals.task_unknown.connect(reporter.unknown, weak=False)
    signals.task_revoked.connect(reporter.revoked, weak=False)
