"""`python -m benchmarks.define`: how many tasks a second `define_many` defines, each with its first open row.

Each round fills a database of its own: 100,000 tasks, a call for each 5,000, one after the other. All is
written when a call returns: task, definition, act and open row, committed.
"""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta
from statistics import median

import psycopg

from benchmarks.fleet import define, now
from benchmarks.private import fresh_database, fresh_server, load

OF_TENANT = 5_000
EVERY_S = 86_400


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.define", description=__doc__)
    parser.add_argument("--tasks", type=int, default=100_000, help="tasks of a round (100000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which the median is taken (3)")
    given = parser.parse_args()
    rates = []
    with fresh_server() as dsn:
        for n in range(given.rounds):
            with fresh_database(dsn, f"define_{n}") as own:
                busy = load()
                rates.append(_fill(own, given.tasks))
            print(f"round {n + 1}: {rates[-1]:,.0f} tasks a second, {busy} before", flush=True)
    print(f"median: {median(rates):,.0f} tasks a second by define_many, {OF_TENANT:,} a call")
    return 0


def _fill(dsn: str, tasks: int) -> float:
    """Define so many tasks; how many a second. Raises RuntimeError where not each has its open row."""
    far = now() + timedelta(days=1)
    slots = {
        f"tenant-{i // OF_TENANT}": {
            f"task-{n}": far + timedelta(microseconds=n) for n in range(i, min(i + OF_TENANT, tasks))
        }
        for i in range(0, tasks, OF_TENANT)
    }
    rate = define(dsn, slots, "noop", EVERY_S)
    with psycopg.connect(dsn) as connection:
        (row,) = connection.execute(
            "SELECT count(*) FROM ledger.occurrence WHERE state = 'pending'"
        ).fetchall()
    if row[0] != tasks:
        raise RuntimeError(f"{row[0]} rows are open of {tasks}")
    return rate


if __name__ == "__main__":
    sys.exit(main())
