"""The handlers' own file: a line for each call, written by whoever did the work, never by the ledger."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

# Where the file is, for processes that a demo starts.
VARIABLE = "LEDGER_DEMO_EVIDENCE"
# How the work of a runtime of the tenant's own is marked; it is as late as the runtime asks seldom.
PULLED = "pull"


class Line(NamedTuple):
    """One call of a handler. `at` is the handler's own clock when it began, `pid` its process."""

    tenant: str
    task: str
    key: UUID
    slot: datetime
    wake: str
    at: datetime
    pid: int
    how: str

    @property
    def late_ms(self) -> float:
        """From the slot to the handler's first instruction."""
        return (self.at - self.slot).total_seconds() * 1000


def write(path: Path, line: Line) -> None:
    """Append a line in one write, so that lines of several processes never mix."""
    text = json.dumps(
        [*line[:2], str(line.key), line.slot.isoformat(), line.wake, line.at.isoformat(), *line[6:]]
    )
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, f"{text}\n".encode())
    finally:
        os.close(descriptor)


class Reader:
    """Reads the file as it grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self.lines: list[Line] = []

    def more(self) -> list[Line]:
        """The lines that have come since the last call; `lines` holds all of them."""
        new = list(self._new())
        self.lines += new
        return new

    def _new(self) -> Iterator[Line]:
        with self._path.open("rb") as file:
            file.seek(self._read)
            for raw in file:
                # A line without its end is still being written.
                if not raw.endswith(b"\n"):
                    break
                self._read += len(raw)
                tenant, task, key, slot, wake, at, pid, how = json.loads(raw)
                yield Line(tenant, task, UUID(key), _instant(slot), wake, _instant(at), pid, how)


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
