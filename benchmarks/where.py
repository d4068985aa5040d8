"""`python -m benchmarks.where`: one round of fires with a stop watch at every turn to the database.

The dispatcher runs inside this process, at its defaults. Timed is each turn (the statements that it sends
together), and the Python between two turns of one transaction; then who computes, by samples of the stack
each millisecond of computing. Watching has its price: for fires a second see `benchmarks.throughput`.
"""

from __future__ import annotations

import argparse
import asyncio
import pkgutil
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from importlib import import_module
from types import FrameType
from unittest.mock import patch

from benchmarks.fleet import define, now, sleep_until
from benchmarks.handlers import registry
from benchmarks.private import fresh_database, fresh_server, load, settle
from benchmarks.throughput import EVERY_S, check_due, slots_within_a_second
from dispatcher import Dispatcher
from dispatcher.collector import ease
from dispatcher.workers import Workers
from ledger import statements
from ledger.driver import aio
from ledger.driver.connect import AsyncConnection
from ledger.driver.transaction import Wire
from ledger.moves.step import Answer, Statement
from projector.moves.decide import Started

# As slow as define_many may be before the first slot comes too early.
DEFINES_A_SECOND = 500.0
SHOWN = 15
_MILLISECOND = 0.001


@dataclass(slots=True)
class Watch:
    """Seconds by what was waited for or computed, and the samples of the stack."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    times: Counter[str] = field(default_factory=Counter)
    samples: Counter[str] = field(default_factory=Counter)

    def add(self, what: str, seconds: float) -> None:
        self.seconds[what] += seconds
        self.times[what] += 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.where", description=__doc__)
    parser.add_argument("--fires", type=int, default=20_000, help="due occurrences of distinct tasks (20000)")
    given = parser.parse_args()
    watch = Watch()
    with fresh_server() as dsn, fresh_database(dsn, "watched") as own:
        first = now() + timedelta(seconds=given.fires / DEFINES_A_SECOND)
        define(own, slots_within_a_second(given.fires, first, seed=1), "noop", EVERY_S)
        settle(own)
        sleep_until(first + timedelta(seconds=1.1))
        check_due(own, given.fires)
        busy = load()
        ease()
        with _turns(watch), _handing(watch), _samples(watch):
            took = asyncio.run(_fire(own, given.fires))
    _print(watch, given.fires, took, busy)
    return 0


async def _fire(dsn: str, fires: int) -> float:
    """Run the dispatcher until all are finished; how long that took."""
    dispatcher = Dispatcher(dsn, registry)
    began = time.perf_counter()
    running = asyncio.create_task(dispatcher.run())
    while dispatcher.teller.counts["finished"] < fires:
        await asyncio.sleep(0.01)
        if running.done():
            running.result()
            raise RuntimeError("the dispatcher ended before its work")
    took = time.perf_counter() - began
    dispatcher.stop()
    await running
    return took


@contextmanager
def _turns(watch: Watch) -> Iterator[None]:
    """Time every turn of the asyncio driver, and the Python before it in the same transaction."""
    original = aio._send
    names = _names()
    ended: dict[int, float] = {}

    async def timed(connection: AsyncConnection, wire: Wire) -> Answer:
        began = time.perf_counter()
        what = f"{_purpose(connection)}: {' + '.join(names.get(sql, 'begin') for sql, _ in wire)}"
        if (before := ended.pop(id(connection), None)) is not None:
            watch.add(f"{what}, Python before it", began - before)
        answer = await original(connection, wire)
        end = time.perf_counter()
        watch.add(what, end - began)
        if wire[-1][0] != b"COMMIT":
            ended[id(connection)] = end
        return answer

    with patch.object(aio, "_send", timed):
        yield


@contextmanager
def _handing(watch: Watch) -> Iterator[None]:
    """Time the hand-over of what was claimed."""
    original = Workers.hand_over

    def timed(self: Workers, started: Sequence[Started], claimed_at: float) -> None:
        began = time.perf_counter()
        original(self, started, claimed_at)
        watch.add("hand-over, Python", time.perf_counter() - began)

    with patch.object(Workers, "hand_over", timed):
        yield


@contextmanager
def _samples(watch: Watch) -> Iterator[None]:
    """Look at the stack once for each millisecond that this process computes."""

    def look(_: int, frame: FrameType | None) -> None:
        if frame is not None:
            code = frame.f_code
            watch.samples[f"{'/'.join(code.co_filename.split('/')[-2:])} {code.co_qualname}"] += 1

    before = signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, _MILLISECOND, _MILLISECOND)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _names() -> dict[bytes, str]:
    """The name of each statement, by its text."""
    names = {b"COMMIT": "commit"}
    for module in pkgutil.iter_modules(statements.__path__):
        for value in vars(import_module(f"ledger.statements.{module.name}")).values():
            if isinstance(value, Statement):
                names[value.sql] = value.name
    return names


def _purpose(connection: AsyncConnection) -> str:
    return str(connection.info.get_parameters().get("application_name", "")).removeprefix("ledger ")


def _print(watch: Watch, fires: int, took: float, busy: str) -> None:
    print(f"{fires:,} fires in {took:.2f} s while watched, {busy}\n")
    print("| turn | turns | seconds | microseconds a fire |")
    print("|---|---|---|---|")
    for what, seconds in sorted(watch.seconds.items(), key=lambda one: -one[1])[:SHOWN]:
        print(f"| {what} | {watch.times[what]} | {seconds:.2f} | {seconds / fires * 1e6:.0f} |")
    total = sum(watch.samples.values())
    print("\n| who computed, of the dispatcher's Python | share |")
    print("|---|---|")
    for who, count in watch.samples.most_common(SHOWN):
        print(f"| {who} | {100 * count / total:.1f} % |")


if __name__ == "__main__":
    sys.exit(main())
