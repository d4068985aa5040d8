"""The handlers that are measured: one that does nothing, and those that keep when they began.

`ledger run --app benchmarks.handlers:registry` serves them. The others write lines into the file that
BENCHMARK_BEGUN names. `begun`: tenant/task, the slot and its own clock, both in microseconds from 1970.
`works`, which takes three seconds: begin or end, task, attempt, its process and its clock.
"""

from __future__ import annotations

import asyncio
import os
import time
from datetime import UTC, datetime, timedelta

from dispatcher import Registry, Run

registry = Registry()

WORK_S = 3.0

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


@registry.handler("works")
async def works(run: Run) -> None:
    """Work for three seconds, and write down when that begins and ends."""
    for word, seconds in (("begin", WORK_S), ("end", 0.0)):
        line = f"{word} {run.task} {run.attempt} {os.getpid()} {time.time_ns() // 1000}\n"
        os.write(_file(), line.encode())
        await asyncio.sleep(seconds)


_opened: list[int] = []


def _file() -> int:
    if not _opened:
        _opened.append(os.open(os.environ["BENCHMARK_BEGUN"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644))
    return _opened[0]
