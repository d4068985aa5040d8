"""`python -m benchmarks.upgrade`: a rolling upgrade under load, from an earlier commit to this one.

Two `ledger run` of the earlier release serve the load on a database of its schema. Two of this one are
started, and wait; `ledger migrate` lets them begin, and one after the other the old ones are stopped, which
start nothing more since the database is of another release. When the load is over the rest may settle, and
the judge reads everything once: no slot lost, none run twice. Exit code 1 for anything that it finds.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from benchmarks.fleet import CHECKOUT, await_active
from benchmarks.judge.findings import Judgement
from benchmarks.judge.history import History, Window, save
from benchmarks.judge.reading import clock
from benchmarks.judge.verdict import Least, judge, report
from benchmarks.private import fresh_server, load
from benchmarks.soak.__main__ import Soak
from benchmarks.soak.nemesis import Fleet, Process, sweep_until
from benchmarks.soak.plan import Planned, planned

# The release before migrations 0008 and later.
EARLIER = "41fcb7c"
# Slots so long before and after the migration may still, or already, be late by it.
CAUGHT_UP = timedelta(seconds=6)
# Between two steps of the upgrade.
STEP_S = 2.0
SLOTS_A_SECOND = 30
_MIGRATE = [sys.executable, "-m", "ledger", "migrate", "--dsn"]
# The earlier release defines by its own code: one call for each tenant, told when it began and was done.
_DEFINE = """
import json, sys
from datetime import datetime, timezone
from ledger import Ledger
with Ledger(sys.argv[1]) as ledger:
    for tenant, tasks in json.load(sys.stdin).items():
        began = datetime.now(timezone.utc).isoformat()
        ledger.tenant(tenant).define_many(tasks)
        print(json.dumps([tenant, began, datetime.now(timezone.utc).isoformat()]))
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.upgrade", description=__doc__)
    parser.add_argument(
        "earlier", nargs="?", default=EARLIER, help=f"commit of the earlier release ({EARLIER})"
    )
    parser.add_argument("--seconds", type=float, default=40.0, help="of load (40)")
    parser.add_argument("--rate", type=int, default=150, help="fires a second (150)")
    parser.add_argument("--seed", type=int, help="of tasks (chosen, and said)")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else random.randrange(10**6)
    print(f"seed {seed}, from {given.earlier}, {load()}", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="ledger-upgrade-") as folder,
        fresh_server() as dsn,
    ):
        earlier = Path(folder) / "earlier"
        check_out(given.earlier, earlier)
        own = make_conninfo(dsn, dbname="upgrade")
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("CREATE DATABASE upgrade")
        subprocess.run([*_MIGRATE, own], cwd=earlier, check=True, stdout=subprocess.DEVNULL)
        with psycopg.connect(own, autocommit=True) as connection:
            upgrade = Upgrade(own, Path(folder), connection, seed)
            history = upgrade.upgraded(earlier, given.rate, given.seconds)
    # Nobody edits, and nobody is killed; a load so short of a machine so busy leaves few looks.
    least = Least(
        int(SLOTS_A_SECOND * given.seconds), 0, 0, acts_of_a_kind=0, share=0.5, looks_a_second=0.1, passes=1
    )
    judgement = judge(history, least)
    gap = excused(upgrade, judgement)
    print(report(history, judgement))
    print(f"{gap} slots came while the migration held everybody up, and say so")
    if judgement.findings:
        kept = Path(tempfile.gettempdir()) / f"upgrade-{seed}.history.gz"
        save(history, kept)
        print(f"kept in {kept}: python -m benchmarks.judge {kept}")
    return 1 if judgement.findings else 0


def until_then(seconds: float) -> Callable[[], bool]:
    """True until so many seconds have gone by."""
    ends = time.monotonic() + seconds
    return lambda: time.monotonic() < ends


def excused(upgrade: Upgrade, judgement: Judgement) -> int:
    """Take back what was found of slots that came while no process could start or finish, and that say so.

    The migration holds the tables, and until the new processes have seen it the old may not start and the
    new ones cannot: of the slots of that time the newest runs, and the rest have their rows or stand in one,
    late or with a run before them that could not be finished yet (I10, I18).
    """
    low, high = upgrade.gap
    kept = [
        one
        for one in judgement.findings
        if not (
            one.verdict == "unjustified"
            and one.detail.endswith(("misfire", "overlap"))
            and one.slot is not None
            and low <= one.slot <= high
        )
    ]
    taken = len(judgement.findings) - len(kept)
    judgement.findings[:] = kept
    return taken


def check_out(commit: str, folder: Path) -> None:
    """The files of a commit, in a folder of their own."""
    git = shutil.which("git")
    if git is None:
        raise RuntimeError("git is not installed: it has the files of the earlier release")
    packed = subprocess.run([git, "archive", commit], cwd=CHECKOUT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


class Upgrade(Soak):
    """One run: two processes of the earlier release, then two of this one, in the same folder.

    `gap` is the time about the migration in which no process could start anything.
    """

    gap: tuple[datetime, datetime]

    def upgraded(self, earlier: Path, rate: int, seconds: float) -> History:
        with psycopg.connect(self.dsn, autocommit=True) as own:
            fleets = [
                Fleet(self.dsn, self.folder, lambda: clock(own), checkout=place)
                for place in (earlier, CHECKOUT)
            ]
            old, new = fleets
            try:
                processes = [self._up(old, slot) for slot in ("a", "b")]
                tasks = planned(rate, self.seed, clock(self.connection), seconds)
                self._define_there(earlier, tasks)
                horizon = self._while_upgrading(old, new, processes, seconds)
            finally:
                for fleet in fleets:
                    fleet.end()
            new.lives[:0] = old.lives
        # Nobody edited meanwhile.
        (self.folder / "windows.jsonl").touch()
        return self._gather(new, horizon)

    def _up(self, fleet: Fleet, slot: str) -> Process:
        life = fleet.start(slot)
        await_active(self.connection, life.process.pid)
        return life

    def _define_there(self, earlier: Path, tasks: list[Planned]) -> None:
        """Define all by the earlier release, a transaction for each tenant, each with its window."""
        by_tenant = {
            tenant: {one.task: one.authored for one in group}
            for tenant, group in groupby(sorted(tasks, key=lambda t: t.tenant), lambda t: t.tenant)
        }
        command = [sys.executable, "-c", _DEFINE, self.dsn]
        told = subprocess.run(
            command, cwd=earlier, input=json.dumps(by_tenant), capture_output=True, text=True, check=True
        ).stdout
        for tenant, *window in map(json.loads, told.splitlines()):
            began, committed = map(datetime.fromisoformat, window)
            for task, authored in by_tenant[tenant].items():
                schedule = authored["schedule"]
                assert isinstance(schedule, dict)
                self.found.append(Window(tenant, task, "define", began, committed, True, schedule))

    def _while_upgrading(self, old: Fleet, new: Fleet, there: list[Process], seconds: float) -> datetime:
        """The load, the upgrade a third of the way, sweeps of the new release after; when it was over."""
        self.began = clock(self.connection)
        until, over = time.monotonic() + seconds, threading.Event()
        sweeper = threading.Thread(
            target=sweep_until, args=(self.dsn, self.folder / "sweep.log", over.is_set)
        )
        self._look_while(lambda: time.monotonic() < until - seconds * 2 / 3)
        waiting = [new.start(slot) for slot in ("c", "d")]
        self._look_while(until_then(STEP_S))
        began = clock(self.connection)
        subprocess.run([*_MIGRATE, self.dsn], cwd=CHECKOUT, check=True)
        sweeper.start()
        try:
            for life, earlier in zip(waiting, there, strict=True):
                await_active(self.connection, life.process.pid)
                self.gap = (began - CAUGHT_UP, clock(self.connection) + CAUGHT_UP)
                self._look_while(until_then(STEP_S))
                old.stop(earlier)
            self._look_while(lambda: time.monotonic() < until)
            horizon = clock(self.connection)
            self._settle(horizon)
        finally:
            over.set()
            sweeper.join()
        return horizon


if __name__ == "__main__":
    sys.exit(main())
