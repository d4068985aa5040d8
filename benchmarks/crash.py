"""`python -m benchmarks.crash`: how soon another process takes over from one that dies.

1. Two `ledger run` at their defaults, each up for longer than a period. A run of three seconds begins on one
   of them, `retry: {attempts: 1, on: [lost], backoff_s: 0}`; SIGKILL to that process in the middle of it.
   Taken is the time until the retry begins on the other, by the handlers' own clock. Median of ten.
2. The same with SIGSTOP for 30 seconds, then SIGCONT: the run begins once and ends once, and has succeeded.
3. 20,000 tasks every ten seconds, 200,000 fires: the resident memory of one `ledger run` meanwhile.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from statistics import median
from subprocess import Popen

import psycopg

from benchmarks.fleet import CHECKOUT, RUN, await_active, define, dispatcher, now
from benchmarks.private import fresh_database, fresh_server, load
from benchmarks.spent import memory_mib
from dispatcher.loop import PERIOD_S
from ledger import Ledger

APP = "benchmarks.handlers:registry"
RETRY = {"attempts": 1, "on": ["lost"], "backoff_s": 0}
# After the begin of the run, and how long anything is waited for.
INTO_IT_S = 1.0
WAIT_S = 60.0
STOPPED_S = 30.0
FIRES_EVERY_S, TASKS = 10, 20_000


@dataclass(slots=True)
class Pair:
    """Two dispatchers that serve one database, and what their handlers have written."""

    dsn: str
    folder: Path
    lives: dict[int, tuple[Popen[bytes], float]] = field(default_factory=dict)

    @property
    def begun(self) -> Path:
        return self.folder / "begun"

    def start(self) -> None:
        """Start another one; it is up when this returns."""
        with (self.folder / "run.log").open("ab") as said:
            process = Popen(
                [*RUN, "--dsn", self.dsn, "--app", APP],
                cwd=CHECKOUT,
                env={**os.environ, "BENCHMARK_BEGUN": str(self.begun)},
                stdout=said,
                stderr=said,
            )
        self.lives[process.pid] = process, time.monotonic()
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            await_active(connection, process.pid)

    def stand(self) -> None:
        """Wait until both have been up for a period: then they look again within a second."""
        youngest = max(since for _, since in self.lives.values())
        time.sleep(max(0.0, youngest + PERIOD_S + 1 - time.monotonic()))  # the defaults have their times

    def lines(self, task: str) -> list[list[str]]:
        """What the handlers have written of a task: begin or end, task, attempt, process, clock."""
        if not self.begun.exists():
            return []
        every = map(str.split, self.begun.read_text(encoding="ascii").splitlines())
        return [line for line in every if line[1] == task]

    def wait_for(self, task: str, count: int) -> list[list[str]]:
        """Wait for so many lines of a task. Raises RuntimeError where they do not come."""
        deadline = time.monotonic() + WAIT_S
        while len(found := self.lines(task)) < count:
            if time.monotonic() > deadline:
                raise RuntimeError(f"of {count} lines of {task} came {found}: {self.log()}")
            time.sleep(0.005)  # handlers in another process write the file that is read
        return found

    def log(self) -> str:
        return (self.folder / "run.log").read_text(encoding="utf-8", errors="replace")[-2000:]

    def end(self) -> None:
        for process, _ in self.lives.values():
            process.terminate()
        for process, _ in self.lives.values():
            process.wait(WAIT_S)


@contextmanager
def pair(dsn: str) -> Iterator[Pair]:
    with tempfile.TemporaryDirectory() as folder:
        made = Pair(dsn, Path(folder))
        try:
            made.start()
            made.start()
            yield made
        finally:
            made.end()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=10, help="processes killed, one after the other (10)")
    parser.add_argument(
        "--fires", type=int, default=200_000, help="while memory is watched; 0 for none (200000)"
    )
    given = parser.parse_args()
    with fresh_server() as dsn, ExitStack() as stack:
        own = stack.enter_context(fresh_database(dsn, "crash"))
        with pair(own) as both:
            took = sorted(_kill(both, f"killed-{n}") for n in range(given.kills))
            if took:
                middle = f"median {median(took):.2f}"
                print(f"begun again after {took[0]:.2f} to {took[-1]:.2f} s, {middle}; {load()}", flush=True)
            print(_stop(both, "stopped"), flush=True)
        if given.fires:
            print(_remember(stack.enter_context(fresh_database(dsn, "memory")), given.fires))
    return 0


def _due(dsn: str, task: str) -> None:
    """A task that is due in a moment, once."""
    authored: Mapping[str, object] = {
        "entrypoint": "works",
        "payload": {"task": task},
        "schedule": {"at": (now() + timedelta(seconds=1)).isoformat()},
        "retry": RETRY,
    }
    with Ledger(dsn) as ledger:
        ledger.tenant("acme").define(task, authored)


def _kill(both: Pair, task: str) -> float:
    """Kill the process that runs a task; seconds until the other has begun it again."""
    both.stand()
    _due(both.dsn, task)
    (first,) = both.wait_for(task, 1)
    time.sleep(INTO_IT_S)  # in the middle of its three seconds
    process, _ = both.lives.pop(int(first[3]))
    killed = time.time_ns() // 1000
    process.kill()
    process.wait()
    again = both.wait_for(task, 2)[1]
    both.start()
    if again[:3] != ["begin", task, "2"] or again[3] == first[3]:
        raise RuntimeError(f"not begun again by the other: {again} after {first}")
    seconds = (int(again[4]) - killed) / 1e6
    print(f"{task}: begun again by the other after {seconds:.2f} s", flush=True)
    return seconds


def _stop(both: Pair, task: str) -> str:
    """Stop the process that runs a task for half a minute: nobody takes it for dead, and it ends once."""
    both.stand()
    _due(both.dsn, task)
    (first,) = both.wait_for(task, 1)
    os.kill(int(first[3]), signal.SIGSTOP)
    time.sleep(STOPPED_S)  # what others make of it is what is measured
    os.kill(int(first[3]), signal.SIGCONT)
    both.wait_for(task, 2)
    time.sleep(2.0)  # a second beginning would have come by now
    words = [line[0] for line in both.lines(task)]
    with psycopg.connect(both.dsn) as connection:
        asked = "SELECT wake, state FROM ledger.occurrence WHERE task = %s AND started IS NOT NULL"
        rows = connection.execute(asked, [task]).fetchall()
    if words != ["begin", "end"] or rows != [("schedule", "succeeded")]:
        raise RuntimeError(f"stopped for {STOPPED_S:g} s: {words}, {rows}")
    return f"stopped for {STOPPED_S:g} s in the middle of its run: begun once, ended once, succeeded"


def _remember(dsn: str, fires: int) -> str:
    """The dispatcher's memory over so many fires."""
    first = now() + timedelta(seconds=30)
    spread = timedelta(seconds=FIRES_EVERY_S) / TASKS
    slots = {"tenant": {f"task-{n}": first + n * spread for n in range(TASKS)}}
    define(dsn, slots, "noop", FIRES_EVERY_S)
    seen: list[str] = []
    counted = "SELECT sum(finished)::bigint FROM ledger.dispatcher"
    with (
        tempfile.TemporaryDirectory() as folder,
        psycopg.connect(dsn, autocommit=True) as watch,
        dispatcher(dsn, APP, log=Path(folder) / "run.log") as pid,
    ):
        step = fires // 5
        deadline = time.monotonic() + 10 * fires / (TASKS / FIRES_EVERY_S)
        while len(seen) < 5 and time.monotonic() < deadline:
            ((done,),) = watch.execute(counted).fetchall()
            if isinstance(done, int) and done >= step * (len(seen) + 1):
                seen.append(f"{done:,}: {memory_mib(pid):.0f}")
            time.sleep(0.5)  # the heartbeat, each ten seconds, is the count
    return f"MiB resident after so many fires: {', '.join(seen)}; {load()}"


if __name__ == "__main__":
    sys.exit(main())
