"""The handlers that are measured: one that does nothing, and one that keeps when it began.

`ledger run --app benchmarks.handlers:registry` serves them. The second writes a line for each run into the
file that BENCHMARK_BEGUN names: tenant/task, the slot and its own clock, both in microseconds from 1970.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta

from dispatcher import Registry, Run

registry = Registry()

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@registry.handler("noop")
async def noop(_: Run) -> None:
    """Nothing."""


@registry.handler("begun")
async def begun(run: Run) -> None:
    """Write down when this began; one write, so that lines stay whole."""
    now = time.time_ns() // 1000
    slot = (run.slot - _EPOCH) // _MICROSECOND
    os.write(_file(), f"{run.tenant}/{run.task} {slot} {now}\n".encode())


_opened: list[int] = []


def _file() -> int:
    if not _opened:
        _opened.append(os.open(os.environ["BENCHMARK_BEGUN"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644))
    return _opened[0]
