"""The file that a pass leaves for node_exporter. What goes wrong with it is said, and changes no pass."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ledger.driver.connect import SyncConnection
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import BadInput, LedgerError
from ledger.metrics import Metric, write_metrics
from ledger.moves.step import ask
from ledger.statements.outbox import HEALTH_EVENTS
from sweeper.health import see
from sweeper.metrics import of_attempt, of_events, of_health, of_pass
from sweeper.report import PassReport


class MetricsFile:
    """A file of one pass; `complain` hears of what could not be read or written. Raises `BadInput`."""

    def __init__(self, path: str, complain: Callable[[str], None]) -> None:
        if not path.endswith(".prom"):
            raise BadInput(f"--metrics-file {path!r}: node_exporter reads only names that end in .prom")
        self._path = path
        self._complain = complain

    def closed(self, report: PassReport, reach: Callable[[], SyncConnection]) -> None:
        """Write what a pass found, and the vital signs after it."""
        metrics = [*of_attempt(time.time(), True), *of_pass(report)]
        try:
            with reach() as connection:
                metrics += of_health(run(connection, see(None, None), Scope("reader")))
                (unsent,) = run(connection, ask(HEALTH_EVENTS()), Scope("reader"))
                metrics += of_events(unsent)
        except LedgerError as error:
            self._complain(f"--metrics-file: the vital signs could not be read: {error}")
        self._write(metrics)

    def failed(self) -> None:
        """Write that the pass did not close."""
        self._write(of_attempt(time.time(), False))

    def _write(self, metrics: Sequence[Metric]) -> None:
        try:
            write_metrics(self._path, lambda: metrics)
        except OSError as error:
            self._complain(f"--metrics-file: {error}")
