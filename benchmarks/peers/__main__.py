"""`python -m benchmarks.peers`: jobs a second of other schedulers' queues, beside fires of the ledger.

All on one server at the defaults of a fresh install, a database each, in turn, round by round: as many due
jobs with a handler that does nothing. None of the peers projects a successor. Medians of the rounds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.peers.driving import PEERS, install, measure
from benchmarks.private import fresh_database, fresh_server, load
from benchmarks.throughput import DEFINES_A_SECOND, measure_round


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--jobs", type=int, default=20_000, help="due jobs, and due occurrences (20000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, of which medians are taken (3)")
    given = parser.parse_args()
    install()
    fires: list[float] = []
    jobs: dict[str, list[float]] = {peer.name: [] for peer in PEERS}
    with fresh_server() as dsn, tempfile.TemporaryDirectory() as folder:
        for n in range(given.rounds):
            one = measure_round(dsn, given.jobs, n, DEFINES_A_SECOND, Path(folder) / "run.log")
            fires.append(one.fires)
            said = [f"ledger {one.fires:,.0f}"]
            for peer in PEERS:
                with fresh_database(dsn, f"peer_{n}") as own:
                    jobs[peer.name].append(measure(peer, own, given.jobs))
                said.append(f"{peer.name} {jobs[peer.name][-1]:,.0f}")
            print(f"round {n + 1}: {', '.join(said)}; {load()}", flush=True)
    print(f"\nmedians of {given.rounds} rounds, {given.jobs:,} each\n")
    print("| | a second | the ledger's, by round |\n|---|---|---|")
    print(f"| ledger: fires, each with its successor | {median(fires):,.0f} | |")
    for name, each in jobs.items():
        ratio = median(mine / theirs for mine, theirs in zip(fires, each, strict=True))
        print(f"| {name}: jobs | {median(each):,.0f} | {ratio:.2f} × |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
