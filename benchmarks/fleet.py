"""The dispatcher's process as an operator starts it, and the tasks that it is to run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from ledger import Ledger

CHECKOUT = Path(__file__).resolve().parents[1]
# What an operator types, and what follows it.
RUN = [sys.executable, "-m", "ledger", "run"]
READY_S = 30.0
STOP_S = 30.0


@contextmanager
def dispatcher(dsn: str, app: str, *, log: Path, env: Mapping[str, str] | None = None) -> Iterator[int]:
    """`ledger run` at its defaults; its process id, once it is ready. Stopped by SIGTERM at the end.

    Raises RuntimeError, with the last of what it said, where it is not active in time or does not end well.
    """
    with log.open("ab") as said, psycopg.connect(dsn, autocommit=True) as connection:
        process = subprocess.Popen(
            [*RUN, "--dsn", dsn, "--app", app],
            cwd=CHECKOUT,
            env={**os.environ, **(env or {})},
            stdout=said,
            stderr=said,
        )
        try:
            await_active(connection, process.pid)
            yield process.pid
        finally:
            process.terminate()
            code = process.wait(STOP_S)
    if code != 0:
        raise RuntimeError(f"the dispatcher ended with {code}: {log.read_text(errors='replace')[-2000:]}")


def await_active(connection: psycopg.Connection[tuple[object, ...]], pid: int) -> None:
    """Wait until a dispatcher's process holds its presence. Raises RuntimeError where it does not come up."""
    deadline = time.monotonic() + READY_S
    asked = "SELECT FROM ledger.incarnation WHERE host LIKE %s AND held AND ended IS NULL"
    while not connection.execute(asked, (f"%:{pid}",)).fetchall():
        if time.monotonic() > deadline:
            raise RuntimeError(f"the dispatcher {pid} did not come up within {READY_S:g} s")
        time.sleep(0.02)  # another process comes up; its row is the only sign of it


def define(dsn: str, slots: Mapping[str, Mapping[str, datetime]], entrypoint: str, every_s: int) -> float:
    """Define a task for each slot, by tenant and task, a call for each tenant; tasks a second.

    Each recurs every `every_s` seconds on its own microsecond, so that each fire projects a real successor.
    """
    tasks = {
        tenant: {
            task: {
                "entrypoint": entrypoint,
                # Distinct, or two tasks on one microsecond would be twins.
                "payload": {"task": task},
                "schedule": {"every_s": every_s, "anchor": slot.isoformat()},
            }
            for task, slot in of_tenant.items()
        }
        for tenant, of_tenant in slots.items()
    }
    with Ledger(dsn) as ledger:
        began = time.perf_counter()
        for tenant, of_tenant in tasks.items():
            ledger.tenant(tenant).define_many(of_tenant)
        took = time.perf_counter() - began
    return sum(map(len, tasks.values())) / took


def now() -> datetime:
    return datetime.now(UTC)


def sleep_until(instant: datetime) -> None:
    """Sleep until an instant of the machine's clock."""
    left = (instant - now()) / timedelta(seconds=1)
    if left > 0:
        time.sleep(left)  # the load has its times
