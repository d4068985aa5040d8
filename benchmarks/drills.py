"""`python -m benchmarks.drills`: a hundred thousand drills beside a running dispatcher.

One tenant's tasks fire forty times a second; others of it are far, and drilled with on four connections all
the time. Before that the same fires without a drill, for as long as is asked. Afterwards no row may be the
sweep's, no lock may be held, and no slot may have been passed over meanwhile: the exit code says so.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from benchmarks.fleet import define, dispatcher, now
from benchmarks.private import fresh_database, fresh_server, load
from ledger.driver.connect import connect
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from sweeper.moves.drill import drill

TENANT = "bench"
CONNECTIONS, NEAR, EVERY_S, FAR = 4, 200, 5, 200
_LATE = """
SELECT count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY late),
       percentile_cont(0.99) WITHIN GROUP (ORDER BY late), max(late)
  FROM (SELECT 1000 * extract(epoch FROM started - run_at)::float8 AS late FROM ledger.occurrence
         WHERE started >= %s AND started < %s) l"""
_STRANGE = """
SELECT (SELECT count(*) FROM ledger.occurrence WHERE made_by IN ('sweep', 'drill')),
       (SELECT count(*) FROM ledger.occurrence
         WHERE state IN ('retired', 'ended') OR state = 'skipped' AND closed >= %s),
       (SELECT count(*) FROM ledger.definition WHERE by = 'drill'),
       (SELECT count(*) FROM ledger.evidence),
       (SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
         WHERE d.datname = current_database() AND l.pid <> pg_backend_pid())"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drills", description=__doc__)
    parser.add_argument("--drills", type=int, default=100_000, help="drills beside the fires (100000)")
    parser.add_argument("--seconds", type=float, default=20.0, help="of fires without a drill, before (20)")
    given = parser.parse_args()
    with (
        fresh_server() as server,
        fresh_database(server, "drills") as dsn,
        tempfile.TemporaryDirectory() as folder,
    ):
        begin = now() + timedelta(seconds=5)
        near = {f"near-{n:03}": begin + timedelta(seconds=EVERY_S * n / NEAR) for n in range(NEAR)}
        far = {f"far-{n:03}": begin + timedelta(days=1, microseconds=n) for n in range(FAR)}
        define(dsn, {TENANT: near}, "noop", EVERY_S)
        define(dsn, {TENANT: far}, "noop", 86_400)
        with dispatcher(dsn, "benchmarks.handlers:registry", log=Path(folder) / "run.log"):
            time.sleep(2 * EVERY_S)  # every task has fired, and what it costs the first time is over
            alone = _moment()
            time.sleep(given.seconds)  # the load has its times
            beside = _moment()
            print(f"without drills: {_late(dsn, alone, beside)}; {load()}", flush=True)
            words = _drill_all(dsn, given.drills)
            over = _moment()
        took_s = (over - beside).total_seconds()
        print(f"{given.drills:,} drills in {took_s:.1f} s: {words}")
        print(f"beside them: {_late(dsn, beside, over)}; {load()}")
        with psycopg.connect(dsn) as connection:
            (strange,) = connection.execute(_STRANGE, (beside,)).fetchall()
    told = ("rows of the sweep", "retired, ended or skipped", "canaries", "evidence", "locks")
    print(", ".join(f"{name} {n}" for name, n in zip(told, strange, strict=True)))
    return 0 if words == {"passed": given.drills} and not any(strange) else 1


def _drill_all(dsn: str, drills: int) -> dict[str, int]:
    """So many drills, on several connections; how they went."""
    share = drills // CONNECTIONS
    words: dict[str, int] = {}
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        counts = [share + (n < drills % CONNECTIONS) for n in range(CONNECTIONS)]
        for found in pool.map(_drill, [dsn] * CONNECTIONS, counts):
            for word, n in found.items():
                words[word] = words.get(word, 0) + n
    return words


def _drill(dsn: str, drills: int) -> dict[str, int]:
    """Drills one after the other, each at the task after the one before."""
    words: dict[str, int] = {}
    turn = ""
    with connect(dsn, application="drills") as connection:
        for _ in range(drills):
            found = run(connection, drill(TENANT, turn), Scope("sweeper", TENANT))
            turn = found.task or ""
            words[found.word] = words.get(found.word, 0) + 1
    return words


def _late(dsn: str, first: datetime, last: datetime) -> str:
    with psycopg.connect(dsn) as connection:
        ((n, p50, p99, most),) = connection.execute(_LATE, (first, last)).fetchall()
    late = f"p50 {p50 or 0:.1f} ms, p99 {p99 or 0:.1f} ms, latest {most or 0:.1f} ms"
    return f"{n:,} starts, {late} after their slots"


def _moment() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    sys.exit(main())
