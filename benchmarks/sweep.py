"""`python -m benchmarks.sweep`: what a pass costs, healthy and with holes, beside many tenants without tasks.

A database is filled by COPY: a million enabled tasks in ten thousand tenants, each with a run behind it and
its open row, beside a million tenants without tasks. Then, each by the command that an operator types: a
healthy pass with a drill per tenant, one that finds ten thousand rows missing in a hundred tenants, one after
it; and `ledger verify` over every row. The exit code says whether the goals of the full size are met.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass

import psycopg

from benchmarks.filled import Fleet, add_idle, fill, tenant_of
from benchmarks.fleet import CHECKOUT
from benchmarks.private import fresh_database, fresh_server, load
from ledger.statements.sweep import SURVEY

COMMAND = [sys.executable, "-m", "ledger"]
WORK_MEM = "128MB"

SURVEY_S, PASS_S, MEMORY_MIB, REPAIR_S, MORE_BUFFERS, VERIFY_S = 4.0, 60.0, 200.0, 15.0, 0.01, 60.0


@dataclass(frozen=True, slots=True)
class Said:
    """What a command took, and what it said."""

    took_s: float
    computed_s: float
    memory_mib: float
    load: str
    code: int
    json: dict[str, object]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=__doc__)
    parser.add_argument("--tasks", type=int, default=1_000_000, help="enabled tasks (1000000)")
    parser.add_argument("--tenants", type=int, default=10_000, help="tenants that they are of (10000)")
    parser.add_argument("--idle", type=int, default=1_000_000, help="tenants without tasks (1000000)")
    parser.add_argument("--missing", type=int, default=10_000, help="open rows taken away (10000)")
    parser.add_argument("--holed", type=int, default=100, help="tenants that they are taken from (100)")
    parser.add_argument("--history", type=int, default=1, help="runs behind each task (1)")
    parser.add_argument("--jobs", type=int, default=4, help="connections side by side (4)")
    given = parser.parse_args()
    fleet = Fleet(given.tasks, given.tenants, given.history)
    with fresh_server() as server, fresh_database(server, "sweep") as dsn:
        began = time.perf_counter()
        fill(dsn, fleet)
        print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)
        return _measure(dsn, fleet, given)


def _measure(dsn: str, fleet: Fleet, given: argparse.Namespace) -> int:
    goals = []
    few = given.idle // 100
    add_idle(dsn, few)
    buffers = survey(dsn)[1]
    add_idle(dsn, given.idle - few, few)
    took_s, more = survey(dsn)
    share = more / buffers - 1
    told = f"{buffers:,} buffers beside {few:,} tenants without tasks, {more:,} beside {given.idle:,}"
    print(f"survey: {took_s:.2f} s; {told}: {share:+.2%}; {load()}", flush=True)
    goals += [("survey", took_s < SURVEY_S), ("buffers", share < MORE_BUFFERS)]

    sweeping = ("sweep", "--json", "--jobs", str(given.jobs))
    healthy = _timed(dsn, "a healthy pass", *sweeping)
    drills = healthy.json["drills"]
    sound = healthy.code == 0 and drills == {"passed": fleet.tenants, "failed": 0, "could not try": 0}
    goals += [
        ("healthy", sound),
        ("pass", healthy.took_s < PASS_S),
        ("memory", healthy.memory_mib < MEMORY_MIB),
    ]

    gone = take_away(dsn, fleet, given.missing, given.holed)
    holed = _timed(dsn, f"a pass that mends {gone:,} holes in {given.holed} tenants", *sweeping)
    after = _timed(dsn, "a healthy pass after it", *sweeping)
    mended = holed.json["repairs"] == {"missing": gone} and after.code == 0
    goals += [("mended", mended), ("repair", holed.took_s - min(healthy.took_s, after.took_s) < REPAIR_S)]

    verified = _timed(dsn, "verify", "verify", "--json", "--jobs", str(given.jobs))
    rows = fleet.tasks * (1 + fleet.history)
    whole = verified.json["rows"] == rows and verified.code == 0
    a_million_s = verified.took_s * 1_000_000 / rows
    print(f"verify: {rows:,} rows, {a_million_s:.1f} s for each million", flush=True)
    goals += [("verified", whole), ("verify", a_million_s < VERIFY_S)]
    missed = [name for name, met in goals if not met]
    print(f"goals missed: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


def survey(dsn: str) -> tuple[float, int]:
    """Seconds of the survey as a pass asks it, and the buffers that it reads."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE ledger.verdict")
        connection.execute("SELECT set_config('work_mem', %s, false)", (WORK_MEM,))
        connection.execute("SET plan_cache_mode = force_generic_plan")
        asked = SURVEY.sql.decode()
        began = time.perf_counter()
        connection.execute(asked.encode()).fetchall()
        took_s = time.perf_counter() - began
        (told,) = connection.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {asked}".encode()).fetchall()
    plan = told[0][0]["Plan"]
    return took_s, plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]


def take_away(dsn: str, fleet: Fleet, missing: int, tenants: int) -> int:
    """Take open rows away behind the ledger's back, as many of each of some tenants; how many."""
    names = [tenant_of(n, fleet.tenants) for n in range(tenants)]
    with psycopg.connect(dsn) as connection:
        return connection.execute(
            """DELETE FROM ledger.occurrence o
                USING (SELECT s.key, row_number() OVER (PARTITION BY s.tenant ORDER BY s.task) AS n
                         FROM ledger.occurrence s
                        WHERE s.tenant = ANY (%s) AND s.state = 'pending' AND s.lane = 'series') k
                WHERE o.key = k.key AND k.n <= %s""",
            (names, missing // tenants),
        ).rowcount


def _timed(dsn: str, what: str, *arguments: str) -> Said:
    """Run a command; seconds on the clock and of its process, and the most memory that it had."""
    busy = load()
    began = time.perf_counter()
    with subprocess.Popen(
        [*COMMAND, *arguments, "--dsn", dsn], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    took_s = time.perf_counter() - began
    computed_s = used.ru_utime + used.ru_stime
    memory_mib = used.ru_maxrss / 1024
    print(
        f"{what}: {took_s:.1f} s, of which its process computed {computed_s:.1f} s; {memory_mib:.0f} MiB; "
        f"exit code {process.returncode}; {busy} before",
        flush=True,
    )
    return Said(took_s, computed_s, memory_mib, busy, process.returncode, json.loads(said))


if __name__ == "__main__":
    sys.exit(main())
