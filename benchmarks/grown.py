"""`python -m benchmarks.grown`: what millions of closed rows change of a claim: of its plans, and of its lag.

One server, two databases: one that holds nothing else, and one whose hot table has as many closed rows
beside, as a ledger has that archives nothing. On each the same load is served by one `ledger run` at its
defaults, as `benchmarks.lag` does it, and the statements of the claim are planned as they run. Then the
archive takes the closed rows, for a while, and says how many a second.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import psycopg

from benchmarks.fleet import CHECKOUT, dispatcher
from benchmarks.lag import Phase, prepare, read, report, wait_through
from benchmarks.private import fresh_database, fresh_server
from ledger.driver.connect import connect
from sweeper.archiving import Keeping, archive

# What a claim asks, and what it writes.
CLAIM = (
    *("claim_due", "lock_tasks", "read_context", "read_last_starts", "read_references", "read_attempts"),
    *("read_hints", "read_definitions", "read_next_due", "start_rows", "skip_rows", "adopt"),
    *("lock_runs", "close_runs", "close_successes", "free_waiters"),
)
TASKS = 2_000
# Rows of one INSERT.
_BLOCK = 200_000
_GROW = """
INSERT INTO ledger.occurrence (key, tenant, task, digest, delivery, wake, agent, destination, due,
       fingerprint, key_version, lane, state, exclusive, run_at, after, base, source, made_by, created,
       started, handed, deadline, closed, outcome, incarnation, closed_by)
SELECT ledger.key_of(f.own, s.due), 'grown-' || s.n %% 50, 'task-' || s.n %% %(tasks)s, f.own, 'python',
       'schedule', 'default', 'local:default', s.due, f.own, 1, 'series', 'succeeded', true, s.due,
       s.due - interval '5 min', s.due - interval '5 min', 'baseline-interval', 'start', s.due, s.due, s.due,
       s.due + interval '15 min', s.due, 'succeeded', 1, 'incarnation 1'
  FROM (SELECT n, now() - interval '30 days' + n * interval '30 days' / %(rows)s AS due
          FROM generate_series(%(first)s::bigint, %(last)s::bigint) n) s
 CROSS JOIN LATERAL (SELECT sha256(int8send(s.n)) AS own) f
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grown", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="closed rows beside (10,000,000)")
    parser.add_argument("--rate", type=int, default=200, help="fires a second (200)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of that rate (20)")
    parser.add_argument("--archiving", type=float, default=20.0, help="seconds of archiving at the end (20)")
    given = parser.parse_args()
    wrong, plans = 0, []
    with fresh_server() as dsn:
        for name, rows in (("alone", 0), ("grown", given.rows)):
            with fresh_database(dsn, name) as own:
                grow(own, rows)
                wrong += serve(own, rows, given.rate, given.seconds)
                plans.append(claim_plans(own))
                if rows:
                    take_away(own, given.archiving)
    differ = [name for name in CLAIM if plans[0][name] != plans[1][name]]
    walks = [f"{name}: {why}" for name in CLAIM if (why := walk(name, plans[1][name]))]
    print(f"planned otherwise than alone, of {len(CLAIM)}: {', '.join(differ) or 'none'}")
    print("\n".join(walks) or "none reads what is closed: each goes by the indexes that it names")
    return 1 if wrong or walks else 0


def walk(name: str, plan: str) -> str:
    """How a plan reads more of the hot table than it names; empty where it does not.

    How tables are joined, and whether a small one is read whole, may differ with their sizes.
    """
    header = text_of(name).partition("\nSELECT")[0]
    used = re.findall(r"using (\w+) on occurrence|Bitmap Index Scan on (\w+)", plan)
    other = [index for pair in used for index in pair if index and not re.search(rf"\b{index}\b", header)]
    return plan if "Seq Scan on occurrence" in plan or other else ""


def grow(dsn: str, rows: int) -> None:
    """Closed rows of thousands of series over the last thirty days, each under a key of its day."""
    began = time.perf_counter()
    with psycopg.connect(dsn, autocommit=True) as connection:
        for first in range(0, rows, _BLOCK):
            last = min(first + _BLOCK, rows) - 1
            connection.execute(_GROW.encode(), {"tasks": TASKS, "rows": rows, "first": first, "last": last})
        connection.execute("VACUUM ANALYZE ledger.occurrence")
        connection.execute("CHECKPOINT")
    if rows:
        print(f"{rows:,} closed rows in {time.perf_counter() - began:.0f} s", flush=True)


def serve(dsn: str, rows: int, rate: int, seconds: float) -> int:
    """The load of `benchmarks.lag` beside these rows; 1 where a slot was lost, doubled or early."""
    phases = [Phase(50, 3.0), Phase(rate, seconds)]
    with tempfile.TemporaryDirectory() as folder:
        begun = Path(folder) / "begun"
        prepare(dsn, phases, seed=1)
        env = {"BENCHMARK_BEGUN": str(begun)}
        with dispatcher(dsn, "benchmarks.handlers:registry", log=Path(folder) / "run.log", env=env):
            busy = wait_through(phases, begun)
        print(f"beside {rows:,} closed rows; {busy}")
        return report(phases[1:], read(begun))


def claim_plans(dsn: str) -> dict[str, str]:
    """The generic plan of each statement: its nodes from above, and by which indexes they go."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SET plan_cache_mode = force_generic_plan")
        return {name: plan(connection, name) for name in CLAIM}


def plan(connection: psycopg.Connection[tuple[object, ...]], name: str) -> str:
    """One statement's plan, as the server plans it for any values."""
    text = text_of(name)
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)[sb]", text)))
    sql = re.sub(r"%\((\w+)\)[sb]", lambda found: f"${names.index(found[1]) + 1}", text).replace("%%", "%")
    given = f"({', '.join(['NULL'] * len(names))})" if names else ""
    connection.execute(b"PREPARE asked AS " + sql.encode())
    try:
        lines = connection.execute(f"EXPLAIN (COSTS OFF) EXECUTE asked{given}".encode()).fetchall()
    finally:
        connection.execute("DEALLOCATE asked")
    nodes = [str(line).strip().removeprefix("->").strip() for (line,) in lines]
    return "; ".join(node for node in nodes if re.match(r"[A-Z][\w ]+( using | on |$)", node))


def text_of(name: str) -> str:
    return (CHECKOUT / "ledger" / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def take_away(dsn: str, seconds: float) -> None:
    """How many rows leave for the archive in a while."""
    with connect(dsn, application="ledger bench") as connection:
        began = time.perf_counter()
        done = archive(connection, Keeping(within=timedelta(seconds=seconds)))
        took = time.perf_counter() - began
    a_second = done.moved / took
    print(f"archive: {done.moved:,} of {done.looked_at:,} rows in {took:.1f} s, {a_second:,.0f} a second")


if __name__ == "__main__":
    sys.exit(main())
