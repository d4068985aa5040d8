"""`python -m benchmarks.throughput`: fires a second beside the raw limit, and where the time goes.

A round: 20,000 tasks of 20 tenants are defined, each due once within one second; once all are due, a
checkpoint and fresh statistics, then `ledger run` is started. Measured from its first claim to the commit of
its last finish: claim, project, commit, run a handler that does nothing, finish. Beside it the raw limit on a
database of its own, filled with as many rows. Medians of the rounds.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

import psycopg

from benchmarks import raw
from benchmarks.fleet import define, dispatcher, now, sleep_until
from benchmarks.private import fresh_database, fresh_server, load, settle
from benchmarks.spent import Spent, spent_by

TENANTS = 20
EVERY_S = 86_400
# As slow as define_many may be before the first slot comes too early; later rounds know better.
DEFINES_A_SECOND = 1_000.0
WAIT_S = 120.0


@dataclass(frozen=True, slots=True)
class Round:
    """What one round measured, in rows or tasks a second."""

    fires: float
    raw: float
    bare: float
    defines: float
    spent: Spent
    load: str


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput", description=__doc__)
    parser.add_argument("--fires", type=int, default=20_000, help="due occurrences of distinct tasks (20000)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which medians are taken (5)")
    parser.add_argument("--seed", type=int, default=1, help="of the slots' microseconds (1)")
    given = parser.parse_args()
    rounds: list[Round] = []
    with fresh_server() as dsn, tempfile.TemporaryDirectory() as folder:
        _print_settings(dsn)
        pace = DEFINES_A_SECOND
        for n in range(given.rounds):
            measured = measure_round(dsn, given.fires, given.seed + n, pace, Path(folder) / "run.log")
            rounds.append(measured)
            pace = min(one.defines for one in rounds) / 2
            print(
                f"round {n + 1}: {measured.fires:,.0f} fires/s, raw {measured.raw:,.0f}, "
                f"ratio {measured.fires / measured.raw:.2f}, raw without successors {measured.bare:,.0f}, "
                f"define_many {measured.defines:,.0f}/s, {measured.load}",
                flush=True,
            )
    _print_medians(rounds)
    return 0


def measure_round(dsn: str, fires: int, seed: int, pace: float, log: Path) -> Round:
    """One round, on databases of its own. Raises RuntimeError where it is invalid."""
    with fresh_database(dsn, f"raw_{seed}") as own:
        limit = _raw(own, fires, seed, succeed=True)
    with fresh_database(dsn, f"bare_{seed}") as own:
        bare = _raw(own, fires, seed, succeed=False)
    with fresh_database(dsn, f"fires_{seed}") as own:
        slots = slots_within_a_second(fires, now() + timedelta(seconds=fires / pace), seed)
        defines = define(own, slots, "noop", EVERY_S)
        latest = max(slot for of_tenant in slots.values() for slot in of_tenant.values())
        sleep_until(latest + timedelta(seconds=0.1))
        settle(own)
        check_due(own, fires)
        busy = load()
        with (
            psycopg.connect(own, autocommit=True) as watch,
            dispatcher(own, "benchmarks.handlers:registry", log=log) as pid,
        ):
            ended = _await_all(watch, fires)
            spent = spent_by(watch, pid)
            began = _first_start(watch)
        return Round(fires / (ended - began).total_seconds(), limit, bare, defines, spent, busy)


def _raw(dsn: str, fires: int, seed: int, *, succeed: bool) -> float:
    rows = raw.make_rows(fires, TENANTS, seed)
    raw.fill(dsn, rows)
    settle(dsn)
    return raw.measure(dsn, rows, succeed=succeed)


def slots_within_a_second(fires: int, first: datetime, seed: int) -> dict[str, dict[str, datetime]]:
    """Each task's slot, within one second from `first`, in random order."""
    rng = random.Random(seed)
    slots: dict[str, dict[str, datetime]] = defaultdict(dict)
    for i in range(fires):
        slots[f"tenant-{i % TENANTS}"][f"task-{i}"] = first + timedelta(microseconds=rng.randrange(1_000_000))
    return slots


def check_due(dsn: str, fires: int) -> None:
    """Raises RuntimeError where not just so many rows are due."""
    asked = "SELECT count(*) FROM ledger.occurrence WHERE state = 'pending' AND run_at <= now()"
    with psycopg.connect(dsn) as connection:
        (row,) = connection.execute(asked).fetchall()
    if row[0] != fires:
        raise RuntimeError(f"{row[0]} rows are due of {fires}: defining took too long, try again")


def _await_all(watch: psycopg.Connection[tuple[object, ...]], fires: int) -> datetime:
    """Wait until nothing is due and nothing runs: two looks into the indexes, every 10 ms. When that was."""
    asked = """SELECT (SELECT 1 FROM ledger.occurrence WHERE state = 'running' LIMIT 1) IS NULL
                  AND (SELECT 1 FROM ledger.occurrence WHERE state = 'pending' AND blocked_by IS NULL
                          AND delivery <> 'pull' AND run_at <= now() LIMIT 1) IS NULL"""
    deadline = time.monotonic() + WAIT_S
    while True:
        (row,) = watch.execute(asked).fetchall()
        if row[0]:
            ended = now()
            counted = "SELECT count(*) FROM ledger.occurrence WHERE state = 'succeeded'"
            (row,) = watch.execute(counted).fetchall()
            if row[0] == fires:
                return ended
            raise RuntimeError(f"{row[0]} runs succeeded of {fires}")
        if time.monotonic() > deadline:
            raise RuntimeError(f"not done within {WAIT_S:g} s")
        time.sleep(0.01)  # the table is looked at often enough to time the end, seldom enough not to slow it


def _first_start(watch: psycopg.Connection[tuple[object, ...]]) -> datetime:
    (row,) = watch.execute("SELECT min(started) FROM ledger.occurrence").fetchall()
    assert isinstance(row[0], datetime)
    return row[0]


def _print_settings(dsn: str) -> None:
    """The defaults of a fresh install, beside every figure."""
    names = ("server_version", "shared_buffers", "synchronous_commit", "fsync", "max_connections")
    said = []
    with psycopg.connect(dsn) as connection:
        for name in names:
            (row,) = connection.execute(f"SHOW {name}".encode()).fetchall()
            said.append(f"{name} {row[0]}")
    print(f"Postgres: {', '.join(said)}; {load()} before", flush=True)


def _print_medians(rounds: list[Round]) -> None:
    fires, limit = median(r.fires for r in rounds), median(r.raw for r in rounds)
    bare, defines = median(r.bare for r in rounds), median(r.defines for r in rounds)
    ratio = median(r.fires / r.raw for r in rounds)
    print(f"\nmedians of {len(rounds)} rounds")
    print(f"  {fires:>8,.0f}  fires a second: claim, project, commit, run, finish")
    print(f"  {limit:>8,.0f}  raw limit: claimed, succeeded and finished by plain statements")
    print(f"  {ratio:>8.2f}  of the raw limit, median of the rounds' ratios")
    print(f"  {bare:>8,.0f}  raw, without successors")
    print(f"  {defines:>8,.0f}  tasks a second by define_many, {TENANTS} tenants, a call each")
    middle = sorted(rounds, key=lambda r: r.fires)[len(rounds) // 2]
    print(f"\nwhere the time went in the round of {middle.fires:,.0f} fires/s")
    print(middle.spent.table())


if __name__ == "__main__":
    sys.exit(main())
