"""Handlers that are their own witnesses: each begin and each end is a line that they write themselves.

The file is the process's own, opened to append; a line is one write, so SIGKILL loses none that was made.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from datetime import UTC, datetime

from benchmarks.judge.history import Mark, line_of
from dispatcher import Registry, Run

registry = Registry()

LIFE = os.environ.get("SOAK_LIFE", "")
LONGEST_S = 0.03
_file: list[int] = []


def mark(what: str, run: Run) -> None:
    """Write one line."""
    if not _file:
        path = os.path.join(os.environ["SOAK_FOLDER"], f"marks-{LIFE}.jsonl")
        _file.append(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644))
    line = line_of(Mark(what, run.tenant, run.task, str(run.key), run.slot, datetime.now(UTC), LIFE))
    os.write(_file[0], f"{line}\n".encode())


@registry.handler("mark")
async def on_loop(run: Run) -> None:
    """A short work on the event loop."""
    mark("begin", run)
    await asyncio.sleep(random.uniform(0, LONGEST_S))
    mark("end", run)


@registry.handler("mark-on-thread")
def on_thread(run: Run) -> None:
    """A short work on a thread."""
    mark("begin", run)
    time.sleep(random.uniform(0, LONGEST_S))  # the work itself, which blocks its thread
    mark("end", run)
