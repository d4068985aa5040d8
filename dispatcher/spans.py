"""The spans of runs: claim, start, deliver, finish. Imported only where the process has OpenTelemetry on.

A claim is a trace of its own. Each run that it starts begins another, linked to it: its start, below that the
time in its handler, whose own spans hang there, and the writing of its end. A webhook carries it on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from uuid import UUID

from dispatcher.outcome import Ending
from dispatcher.registry import AsyncHandler, Handler, SyncHandler
from dispatcher.run import Run
from ledger.facts import instant_text
from ledger.moves.close import Closing
from ledger.tracing import Facts, Place, Times, Tracing
from projector.moves.start import Claimed


class RunSpans:
    """Knows the trace of each run that is in hand here, until `forget`."""

    def __init__(self, spans: Tracing) -> None:
        self._spans = spans
        self._runs: dict[UUID, Place] = {}

    def claimed(self, began: int, claimed: Claimed) -> None:
        """A claim that looked at rows was committed; `began` in nanoseconds of unix time.

        Whatever a provider does wrong, the runs are handed over.
        """
        with suppress(Exception):
            self._claimed((began, time.time_ns()), claimed)

    def _claimed(self, times: Times, claimed: Claimed) -> None:
        if not claimed.looked_at:
            return
        facts: Facts = {
            "ledger.looked_at": claimed.looked_at,
            "ledger.started": len(claimed.started),
            "ledger.skipped": claimed.skipped,
            "ledger.waiting": claimed.waiting,
        }
        claim = self._spans.root("ledger.claim", facts, times)
        for one in claimed.started:
            facts = {
                **_facts(one.subject.tenant, one.subject.task, one.key),
                "ledger.slot": instant_text(one.due),
                "ledger.wake": one.wake,
                "ledger.late_s": (one.started - one.run_at).total_seconds(),
            }
            self._runs[one.key] = self._spans.root("ledger.start", facts, times, claim)

    def around(self, handler: Handler) -> Handler:
        """The handler, each of its runs within a span that is current meanwhile."""
        on_loop, on_thread = handler.on_loop, handler.on_thread
        return replace(
            handler,
            on_loop=None if on_loop is None else self._on_loop(on_loop),
            on_thread=None if on_thread is None else self._on_thread(on_thread),
        )

    def _on_loop(self, handler: AsyncHandler) -> AsyncHandler:
        async def delivered(run: Run) -> object:
            with self._spans.under("ledger.deliver", _of(run), self._runs.get(run.key)) as span:
                answer = await handler(run)
                if isinstance(answer, Ending) and answer.outcome != "succeeded":
                    self._spans.failed(span, answer.error or answer.outcome)
            return answer

        return delivered

    def _on_thread(self, handler: SyncHandler) -> SyncHandler:
        def delivered(run: Run) -> object:
            with self._spans.under("ledger.deliver", _of(run), self._runs.get(run.key)):
                return handler(run)

        return delivered

    def finished(self, began: int, closings: Sequence[Closing]) -> None:
        """Ends of runs were written, in one batch; `began` in nanoseconds of unix time."""
        times = (began, time.time_ns())
        with suppress(Exception):
            for one in closings:
                facts = _facts(one.tenant, one.task, one.key) | {"ledger.state": one.state}
                failed = None if one.state == "succeeded" else one.error or one.state
                self._spans.child("ledger.finish", facts, times, self._runs.get(one.key), failed)

    def forget(self, key: UUID) -> None:
        """The run is not in hand here any more."""
        self._runs.pop(key, None)


def _of(run: Run) -> Facts:
    return {**_facts(run.tenant, run.task, run.key), "ledger.attempt": run.attempt}


def _facts(tenant: str, task: str, key: UUID) -> dict[str, str]:
    return {"ledger.tenant": tenant, "ledger.task": task, "ledger.key": str(key)}
