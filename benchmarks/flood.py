"""`python -m benchmarks.flood`: whether a tenant with 60,000 overdue rows makes any other tenant late.

Three rounds, each on a database of its own: without the flood, with it, and with it at a cap of fifty runs at
once. The flood is due before the dispatcher starts; once it has, twenty other tenants have fifty slots a
second between them, each at a random microsecond. Their lag is that of their handlers' own clock.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from benchmarks.fleet import define, dispatcher, now, sleep_until
from benchmarks.lag import DEFINES_A_SECOND, read
from benchmarks.private import fresh_database, fresh_server, load, settle
from ledger import Ledger

FLOOD, ROWS, CAP = "flood", 60_000, 50
TENANTS, RATE, EVERY_S = 20, 50, 86_400
# From the dispatcher's start to the first slot, and how long after the last one a run may still begin.
LEAD_S, WAIT_S = 2.0, 10.0
# In one call, so that no transaction of the definitions becomes long.
PAGE = 5_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flood", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help=f"overdue rows of the one tenant ({ROWS:,})")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the others' slots (10)")
    parser.add_argument("--seed", type=int, default=1, help="of the slots' microseconds (1)")
    parser.add_argument(
        "--defines", type=float, default=DEFINES_A_SECOND, help="tasks defined a second, at the least (800)"
    )
    given = parser.parse_args()
    print(
        "| the flood | others' slots | p50 ms | p99 ms | max ms | lost | double | flood started meanwhile |"
    )
    print("|---|---|---|---|---|---|---|---|")
    wrong = 0
    with fresh_server() as dsn:
        for name, rows, cap in (
            ("none", 0, None),
            (f"{given.rows:,} rows", given.rows, None),
            (f"{given.rows:,} rows, cap {CAP}", given.rows, CAP),
        ):
            with fresh_database(dsn, "flood") as own:
                overdue(own, rows, cap, rows / given.defines)
                wrong += measure(own, name, given.seconds, given.seed)
    print(f"one dispatcher at its defaults; {load()}")
    return 1 if wrong else 0


def measure(dsn: str, name: str, seconds: float, seed: int) -> int:
    """One round: a line of the table; how many of the others' slots were lost or doubled."""
    with tempfile.TemporaryDirectory() as folder:
        begun = Path(folder) / "begun"
        starts = now() + timedelta(seconds=RATE * seconds / 500 + 8)
        slots = others(dsn, starts, seconds, seed)
        settle(dsn)
        sleep_until(starts - timedelta(seconds=LEAD_S))
        env = {"BENCHMARK_BEGUN": str(begun)}
        with dispatcher(dsn, "benchmarks.handlers:registry", log=Path(folder) / "run.log", env=env):
            last = starts + timedelta(seconds=seconds)
            sleep_until(last)
            done = started(dsn)
            while now() < last + timedelta(seconds=WAIT_S) and len(read(begun)) < len(slots):
                sleep_until(now() + timedelta(seconds=0.2))  # another process writes the file that is read
        return report(name, slots, read(begun), done)


def overdue(dsn: str, rows: int, cap: int | None, takes_s: float) -> None:
    """The flood: tasks of one tenant, all with a slot that has come once this returns."""
    slot = now() + timedelta(seconds=takes_s + 3)
    for i in range(0, rows, PAGE):
        names = {f"task-{n}": slot + n * _MICROSECOND for n in range(i, min(i + PAGE, rows))}
        define(dsn, {FLOOD: names}, "noop", EVERY_S)
    if cap is not None:
        with Ledger(dsn) as ledger:
            ledger.tenant(FLOOD).limit(cap=cap)
    if rows and now() > slot:
        raise RuntimeError(
            "defining took too long: the slots had come before; try again on a quieter machine"
        )
    sleep_until(slot + rows * _MICROSECOND)


def others(dsn: str, starts: datetime, seconds: float, seed: int) -> dict[str, int]:
    """Tasks of other tenants, each with one slot in the time that is measured; the slots, in microseconds."""
    rng, found = random.Random(seed), {}
    slots: dict[str, dict[str, datetime]] = defaultdict(dict)
    for i in range(int(RATE * seconds)):
        tenant, task = f"tenant-{i % TENANTS}", f"task-{i}"
        slot = starts + timedelta(microseconds=rng.randrange(int(seconds * 1e6)))
        slots[tenant][task] = slot
        found[f"{tenant}/{task}"] = (slot - _EPOCH) // _MICROSECOND
    define(dsn, slots, "begun", EVERY_S)
    if now() > starts - timedelta(seconds=LEAD_S + 1):
        raise RuntimeError("defining took too long: the first slot has come; try again on a quieter machine")
    return found


def started(dsn: str) -> int:
    with psycopg.connect(dsn) as connection:
        asked = "SELECT count(*) FROM ledger.occurrence WHERE tenant = %s AND started IS NOT NULL"
        ((count,),) = connection.execute(asked, (FLOOD,)).fetchall()
    return int(count)


def report(name: str, slots: dict[str, int], begun: Sequence[tuple[str, int, int]], flood: int) -> int:
    times = Counter(task for task, _, _ in begun if task in slots)
    lags = sorted((at - slot) / 1000 for task, slot, at in begun if slots.get(task) == slot)
    lost, double = len(slots) - len(times), sum(times.values()) - len(times)
    p50, p99, most = (lags[min(int(len(lags) * share), len(lags) - 1)] for share in (0.5, 0.99, 1.0))
    print(f"| {name} | {len(slots)} | {p50:.1f} | {p99:.1f} | {most:.1f} | {lost} | {double} | {flood:,} |")
    return lost + double


if __name__ == "__main__":
    raise SystemExit(main())
