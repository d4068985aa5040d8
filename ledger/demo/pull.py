"""A runtime of a tenant's own, in small: it asks what is due, starts it, works, and reports the end."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from ledger import Ledger, NotStarted
from ledger.demo import evidence

_ASK_S = 0.1


class Runtime:
    """Serves one tenant's tasks of delivery `pull`, on a thread, within a `with` block."""

    def __init__(self, ledger: Ledger, path: Path, tenant: str) -> None:
        self._door = ledger.tenant(tenant, by="demo runtime")
        self._path = path
        self._tenant = tenant
        self._done = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="pull", daemon=True)

    def check(self) -> None:
        """Raise what ended the thread, if anything did."""
        if self._error is not None:
            raise self._error

    def __enter__(self) -> Runtime:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _serve(self) -> None:
        try:
            while not self._done.wait(_ASK_S):
                for row in self._door.due():
                    self._run(row.key)
        except BaseException as error:  # noqa: BLE001 - the demo's own thread raises it
            self._error = error

    def _run(self, key: object) -> None:
        try:
            begun = self._door.start(str(key))
        except NotStarted:
            return
        line = evidence.Line(
            self._tenant,
            begun.task,
            begun.key,
            begun.slot,
            begun.wake,
            datetime.now(UTC),
            os.getpid(),
            evidence.PULLED,
        )
        evidence.write(self._path, line)
        self._door.finish(begun.key, "succeeded", result={"pages": 7})
