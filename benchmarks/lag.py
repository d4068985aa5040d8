"""`python -m benchmarks.lag`: how long after its slot a handler begins, by the handler's own clock.

All tasks are defined beforehand, each with one slot at a random microsecond of its phase, its successor a day
later. One `ledger run` serves them at its defaults. After a warm-up of three seconds, which is not counted,
come twenty seconds at each rate. The handlers' clock is the database's: one machine.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.fleet import define, dispatcher, now, sleep_until
from benchmarks.private import fresh_database, fresh_server, load, settle

TENANTS = 20
EVERY_S = 86_400
WARM_UP = 50, 3.0
GAP_S = 2.0
# As slow as define_many may be before the first slot comes too early.
DEFINES_A_SECOND = 800.0
# How long after the last slot a run is still waited for before it counts as lost.
WAIT_S = 15.0

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(slots=True)
class Phase:
    """So many fires a second for so many seconds; each task's slot, in microseconds from 1970."""

    rate: int
    seconds: float
    slots: dict[str, int] = field(default_factory=dict)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lag", description=__doc__)
    parser.add_argument("--rates", type=int, nargs="+", default=[1, 50, 200, 500], help="fires a second")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each rate (20)")
    parser.add_argument(
        "--beside", type=int, default=0, help="enabled tasks that are not due, beside these (0)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the slots' microseconds (1)")
    given = parser.parse_args()
    phases = [Phase(*WARM_UP), *(Phase(rate, given.seconds) for rate in given.rates)]
    with (
        fresh_server() as dsn,
        fresh_database(dsn, "lag") as own,
        tempfile.TemporaryDirectory() as folder,
    ):
        beside(own, given.beside)
        begun = Path(folder) / "begun"
        prepare(own, phases, given.seed)
        env = {"BENCHMARK_BEGUN": str(begun)}
        with dispatcher(own, "benchmarks.handlers:registry", log=Path(folder) / "run.log", env=env):
            busy = wait_through(phases, begun)
        print(f"one dispatcher at its defaults, {given.beside:,} other tasks; {busy}")
        return report(phases[1:], read(begun))


def beside(dsn: str, tasks: int) -> None:
    """Tasks that are enabled and have their slots tomorrow."""
    far = now() + timedelta(days=1)
    for i in range(0, tasks, 5000):
        names = {f"idle-{n}": far + n * _MICROSECOND for n in range(i, min(i + 5000, tasks))}
        define(dsn, {f"idle-tenant-{i // 5000}": names}, "noop", EVERY_S)


def prepare(dsn: str, phases: Sequence[Phase], seed: int) -> None:
    """Define every task, then a checkpoint; the first slot must still be to come."""
    total = sum(int(phase.rate * phase.seconds) for phase in phases)
    first = begins = now() + timedelta(seconds=total / DEFINES_A_SECOND + 5)
    slots: dict[str, dict[str, datetime]] = defaultdict(dict)
    rng = random.Random(seed)
    for n, phase in enumerate(phases):
        for i in range(int(phase.rate * phase.seconds)):
            tenant, task = f"tenant-{i % TENANTS}", f"phase-{n}-{i}"
            slot = begins + timedelta(microseconds=rng.randrange(int(phase.seconds * 1e6)))
            slots[tenant][task] = slot
            phase.slots[f"{tenant}/{task}"] = (slot - _EPOCH) // _MICROSECOND
        begins += timedelta(seconds=phase.seconds + GAP_S)
    define(dsn, slots, "begun", EVERY_S)
    settle(dsn)
    if now() > first - timedelta(seconds=3):
        raise RuntimeError("defining took too long: the first slot has come; try again on a quieter machine")


def wait_through(phases: Sequence[Phase], begun: Path) -> str:
    """Wait until every phase is over and all have begun, or are overdue; how busy the machine was."""
    loads = []
    for phase in phases:
        sleep_until(_EPOCH + max(phase.slots.values()) * _MICROSECOND)
        loads.append(load())
    total = sum(len(phase.slots) for phase in phases)
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline and len(read(begun)) < total:
        time.sleep(0.2)  # handlers in another process write the file that is read
    return loads[-1]


def read(begun: Path) -> list[tuple[str, int, int]]:
    """Who began, for which slot, when."""
    lines = begun.read_text(encoding="ascii").splitlines()
    return [(task, int(slot), int(at)) for task, slot, at in map(str.split, lines)]


def report(phases: Sequence[Phase], begun: Sequence[tuple[str, int, int]]) -> int:
    """A line for each rate. 1 where a slot was lost, or came twice, early or for another slot."""
    print("| fires a second | expected | p50 ms | p99 ms | max ms | lost | double | early |")
    print("|---|---|---|---|---|---|---|---|")
    wrong = 0
    for phase in phases:
        lags = sorted((at - slot) / 1000 for task, slot, at in begun if phase.slots.get(task) == slot)
        times = Counter(task for task, _, _ in begun if task in phase.slots)
        strays = sum(task in phase.slots and phase.slots[task] != slot for task, slot, _ in begun)
        lost = len(phase.slots) - len(times)
        double, early = len(lags) + strays - len(times), sum(lag < 0 for lag in lags)
        wrong += lost + double + early
        p50, p99, most = (_at(lags, share) for share in (0.5, 0.99, 1.0))
        counts = f"{lost} | {double} | {early} |"
        print(f"| {phase.rate} | {len(phase.slots)} | {p50:.1f} | {p99:.1f} | {most:.1f} | {counts}")
    return 1 if wrong else 0


def _at(ordered: Sequence[float], share: float) -> float:
    """The value below which that share lies; the slowest of few."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


if __name__ == "__main__":
    sys.exit(main())
