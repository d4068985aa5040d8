"""`python -m benchmarks.idle`: what 100,000 enabled tasks cost while nothing is due; then 200 due a second.

Computed by `ledger run` at its defaults, and by the whole server, over 60 seconds after a minute's rest, by
the system's books: percent of one core. Then the lag of handlers beside those tasks, as in `benchmarks.lag`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import psycopg

from benchmarks.fleet import dispatcher
from benchmarks.lag import WARM_UP, Phase, beside, prepare, read, report, wait_through
from benchmarks.private import fresh_database, fresh_server, load, settle
from benchmarks.spent import computed, server_computed, server_of


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.idle", description=__doc__)
    parser.add_argument("--tasks", type=int, default=100_000, help="enabled tasks that are not due (100000)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of rest, and then of measuring (60)")
    parser.add_argument("--rate", type=int, default=200, help="fires a second, afterwards; 0 for none (200)")
    given = parser.parse_args()
    with (
        fresh_server() as dsn,
        fresh_database(dsn, "idle") as own,
        tempfile.TemporaryDirectory() as folder,
    ):
        beside(own, given.tasks)
        settle(own)
        begun = Path(folder) / "begun"
        env = {"BENCHMARK_BEGUN": str(begun)}
        with (
            psycopg.connect(own, autocommit=True) as watch,
            dispatcher(own, "benchmarks.handlers:registry", log=Path(folder) / "run.log", env=env) as pid,
        ):
            _measure(pid, server_of(watch), given.seconds, given.tasks)
            if not given.rate:
                return 0
            phases = [Phase(*WARM_UP), Phase(given.rate, 20.0)]
            prepare(own, phases, seed=1)
            print(f"then some of them due: {wait_through(phases, begun)}")
        return report(phases[1:], read(begun))


def _measure(pid: int, server: int, seconds: float, tasks: int) -> None:
    time.sleep(seconds)  # the rest: what defining has left behind is done with
    before, began = (computed(pid), server_computed(server)), time.perf_counter()
    time.sleep(seconds)  # what is measured is what happens by itself
    took = time.perf_counter() - began
    mine, theirs = computed(pid) - before[0], server_computed(server) - before[1]
    print(f"{tasks:,} enabled tasks, nothing due for {took:.0f} s, {load()}; of one core:")
    print(f"  {100 * mine / took:>6.2f} %  the dispatcher")
    print(f"  {100 * theirs / took:>6.2f} %  the server, all its processes", flush=True)


if __name__ == "__main__":
    sys.exit(main())
