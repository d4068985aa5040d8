"""`python -m benchmarks.soak`: a minute at 200 fires a second under kills, edits and sweeps, then the judge.

On one database run two `ledger run`, one of them killed by SIGKILL and started again every few seconds (every
fourth time it is asked to stop), `ledger sweep` in a loop, and an editor that edits, reschedules, disables,
enables, deletes and defines again at random. A look is taken every second. When the load is over the rest may
settle, the dispatchers stop, and the judge reads everything once. Exit code 1 for anything that it finds.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path

import psycopg

from benchmarks.fleet import CHECKOUT, await_active
from benchmarks.judge.history import Frame, History, Life, Spot, Thing, Window, gather, save, thing_of
from benchmarks.judge.reading import Connection, clock, incarnations, look, read_ledger, unsettled
from benchmarks.judge.verdict import Least, judge, report
from benchmarks.private import fresh_database, fresh_server, load
from benchmarks.soak.nemesis import Fleet, strike, sweep_until
from benchmarks.soak.plan import Planned, planned
from ledger import Ledger

# How long whatever was started, or could have been, may take to come to its end.
SETTLE_S = 60.0
# A kill leaves this much time for the process to be back before the load ends.
LAST_BLOW_S = 4.0
SLOTS_A_SECOND, ACTS_A_SECOND, SECONDS_A_KILL = 135, 2.5, 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="of load (60)")
    parser.add_argument("--rate", type=int, default=200, help="fires a second (200)")
    parser.add_argument("--seed", type=int, help="of tasks, acts and kills (chosen, and said)")
    parser.add_argument("--slots", type=int, help="that must count (135 a second)")
    parser.add_argument("--keep", type=Path, help="keep the history in this file; a bad one is always kept")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.randrange(10**6)
    print(f"seed {seed}, {load()}", flush=True)
    slots = given.slots if given.slots is not None else int(SLOTS_A_SECOND * given.seconds)
    least = Least(slots, int(given.seconds / SECONDS_A_KILL), int(ACTS_A_SECOND * given.seconds))
    with (
        fresh_server() as dsn,
        fresh_database(dsn, "soak") as own,
        tempfile.TemporaryDirectory(prefix="ledger-soak-") as folder,
        psycopg.connect(own, autocommit=True) as connection,
    ):
        history = Soak(own, Path(folder), connection, seed).run(given.rate, given.seconds)
    judgement = judge(history, least)
    print(report(history, judgement))
    if given.keep is not None or judgement.findings:
        kept = given.keep or Path(tempfile.gettempdir()) / f"soak-{seed}.history.gz"
        save(history, kept)
        print(f"kept in {kept}: python -m benchmarks.judge {kept}")
    return 1 if judgement.findings else 0


class Soak:
    """One run: its database, the folder where witnesses write, and a connection that only looks."""

    def __init__(self, dsn: str, folder: Path, connection: Connection, seed: int) -> None:
        self.dsn = dsn
        self.folder = folder
        self.connection = connection
        self.seed = seed
        self.found: list[Thing] = []

    def run(self, rate: int, seconds: float) -> History:
        with psycopg.connect(self.dsn, autocommit=True) as own:
            fleet = Fleet(self.dsn, self.folder, lambda: clock(own))
            try:
                for slot in ("a", "b"):
                    await_active(self.connection, fleet.start(slot).process.pid)
                tasks = planned(rate, self.seed, clock(self.connection), seconds)
                self._define(tasks)
                horizon = self._load(fleet, tasks, seconds)
            finally:
                fleet.end()
        return self._gather(fleet, horizon)

    def _define(self, tasks: list[Planned]) -> None:
        """Define all, a transaction for each tenant, each with its window."""
        with Ledger(self.dsn) as ledger:
            for tenant, group in groupby(sorted(tasks, key=lambda t: t.tenant), lambda t: t.tenant):
                members = list(group)
                begin = clock(self.connection)
                ledger.tenant(tenant).define_many({one.task: one.authored for one in members})
                commit = clock(self.connection)
                for one in members:
                    schedule = one.authored["schedule"]
                    assert isinstance(schedule, dict)
                    self.found.append(Window(tenant, one.task, "define", begin, commit, True, schedule))

    def _load(self, fleet: Fleet, tasks: list[Planned], seconds: float) -> datetime:
        """The load, a look every second, and the rest that may settle; when the load was over."""
        self.began = clock(self.connection)
        until = time.monotonic() + seconds
        over = threading.Event()
        striker = threading.Thread(
            target=strike, args=(fleet, random.Random(f"kills {self.seed}"), until - LAST_BLOW_S)
        )
        sweeper = threading.Thread(
            target=sweep_until, args=(self.dsn, self.folder / "sweep.log", over.is_set)
        )
        try:
            with self._editor(tasks, seconds) as editor:
                striker.start()
                sweeper.start()
                self._look_while(lambda: editor.poll() is None)
            horizon = clock(self.connection)
            striker.join()
            self._settle(horizon)
        finally:
            over.set()
            striker.join()
            sweeper.join()
        return horizon

    @contextmanager
    def _editor(self, tasks: list[Planned], seconds: float) -> Iterator[subprocess.Popen[bytes]]:
        """The editor's process: the load goes on as long as it does, and it must end well."""
        plan = self.folder / "tasks.json"
        plan.write_text(json.dumps([[t.tenant, t.task, t.authored] for t in tasks]), encoding="utf-8")
        command = [sys.executable, "-m", "benchmarks.soak.editor", "--dsn", self.dsn, "--tasks", str(plan)]
        command += ["--windows", str(self.folder / "windows.jsonl")]
        command += ["--seed", f"acts {self.seed}", "--seconds", str(seconds)]
        with subprocess.Popen(command, cwd=CHECKOUT) as editor:
            yield editor
            if editor.wait() != 0:
                raise RuntimeError(f"the editor ended with {editor.returncode}")

    def _look_while(self, going: Callable[[], bool]) -> None:
        while going():
            began = time.monotonic()
            self.found.append(look(self.connection))
            time.sleep(max(0.0, began + 1.0 - time.monotonic()))  # a look a second

    def _settle(self, horizon: datetime) -> None:
        """Wait until every row up to the horizon has its disposition; the judge finds what has none."""
        deadline = time.monotonic() + SETTLE_S
        while unsettled(self.connection, horizon) and time.monotonic() < deadline:
            time.sleep(0.5)  # other processes bring it about; a look costs them time
            self.found.append(look(self.connection))

    def _gather(self, fleet: Fleet, horizon: datetime) -> History:
        read_at = clock(self.connection)
        self.found += read_ledger(self.connection)
        ids = incarnations(self.connection)
        for life in fleet.lives:
            assert life.ended is not None
            pid = life.process.pid
            self.found.append(Life(life.name, ids.get(pid, []), life.began, life.ended, life.how))
        for file in (self.folder / "windows.jsonl", *sorted(self.folder.glob("marks-*.jsonl"))):
            self.found += map(thing_of, file.read_text(encoding="utf-8").splitlines())
        self._check_clocks()
        return gather([Frame(self.seed, self.began, horizon, read_at), *self.found])

    def _check_clocks(self) -> None:
        """Handlers write the machine's clock, the ledger the database's: they must be one."""
        spot: Spot = look(self.connection)
        apart = abs(datetime.now(spot.at.tzinfo) - spot.at)
        if apart > timedelta(seconds=1):
            raise RuntimeError(f"the clocks are {apart} apart: nothing can be judged by both")


if __name__ == "__main__":
    sys.exit(main())
