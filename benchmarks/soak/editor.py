"""The editor: a platform that acts on its tasks inside transactions of its own, at random, from its seed.

Each act's transaction is written down with its begin and its commit, by the database's clock. An act that may
take a slot away is made only after the transaction has been open for a while, as a platform's own work before
it would keep it: a slot that came before the transaction began has had that long to start, and has no excuse.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

import psycopg

from benchmarks.judge.history import Window, line_of
from benchmarks.judge.reading import Connection, clock
from benchmarks.judge.slots import EPOCH, slots_between
from benchmarks.soak.plan import every
from ledger import Busy, Ledger, TenantLedger

THREADS = 8
# How long a transaction has been open before an act that takes slots away; of two dispatchers one lives.
OPEN_S = 1.5, 2.5
HELD_S = 0.05
HELD_LONG_S = 0.4
# Between two acts of one thread, on average.
PAUSE_S = 0.4
TAKES = ("reschedule", "disable", "delete")
# How often each is chosen; `describe` keeps every slot, so most of its acts are made around one.
WEIGHTS = {"describe": 40, "reschedule": 12, "disable": 14, "enable": 20, "delete": 6, "define": 8}
# How far ahead a slot is looked for, to act around it.
AHEAD = timedelta(seconds=3)

Stands = Literal["on", "off", "gone"]
AFTER: dict[str, Stands] = {"disable": "off", "delete": "gone"}


@dataclass(slots=True)
class Held:
    """A task of one thread, as it stands."""

    tenant: str
    task: str
    authored: dict[str, object]
    state: Stands = "on"


class Editor(threading.Thread):
    """One connection, the tasks that it alone acts on, and where it writes what it did."""

    def __init__(self, dsn: str, tasks: list[Held], seed: str, until: float, file: int) -> None:
        super().__init__()
        self.failure: BaseException | None = None
        self._dsn = dsn
        self._tasks = tasks
        self._rng = random.Random(seed)
        self._until = until
        self._file = file
        self._count = 0

    def run(self) -> None:
        try:
            with psycopg.connect(self._dsn) as connection:
                while time.monotonic() < self._until:
                    self._act(connection)
                    time.sleep(self._rng.expovariate(1 / PAUSE_S))  # acts come at random
        except BaseException as error:  # noqa: BLE001 - told by the main thread, which ends the editor
            self.failure = error

    def _act(self, connection: Connection) -> None:
        """One transaction with an act in it, or two; then their windows are written, in their order."""
        kind = self._rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        wanted = {"enable": "off", "define": "gone"}.get(kind, "on")
        found = [task for task in self._tasks if task.state == wanted]
        if not found:
            return
        task = self._rng.choice(found)
        done: list[tuple[str, dict[str, object]]] = []
        with connection.transaction():
            begin = clock(connection)
            door = Ledger().on(connection).tenant(task.tenant, by="editor")
            for wait in self._waits(kind, task, begin):
                time.sleep(max(0.0, wait - time.time()))  # the act is to meet a slot
                authored = self._next(task, kind)
                try:
                    done.append((_do(door, task, kind, authored), authored))
                except Busy:
                    break
                task.authored = authored
            held = HELD_LONG_S if self._rng.random() < 0.1 else HELD_S
            time.sleep(self._rng.uniform(0, held))  # a caller who keeps the transaction open
        commit = clock(connection)
        # Reading the clock has begun a transaction.
        connection.rollback()
        for what, authored in done:
            self._write(Window(task.tenant, task.task, what, begin, commit, True, _schedule(what, authored)))
            task.state = AFTER.get(what, "on")

    def _waits(self, kind: str, task: Held, begin: datetime) -> list[float]:
        """When to act, by the machine's clock: one act, or two around a slot that both keep.

        Of the second, the slot has come and could not start: the edit must keep it.
        """
        rng, now = self._rng, begin.timestamp()
        if kind in TAKES:
            return [now + rng.uniform(*OPEN_S)]
        schedule = task.authored["schedule"]
        assert isinstance(schedule, dict)
        slots = slots_between(schedule, begin, begin + AHEAD)
        if kind != "describe" or not slots or rng.random() < 0.3:
            return [now + rng.uniform(0, 0.1)]
        slot = slots[0].timestamp()
        if rng.random() < 0.5:
            return [slot + rng.uniform(0, 0.01)]
        return [slot - rng.uniform(0.01, 0.2), slot + rng.uniform(0, 0.03)]

    def _next(self, task: Held, kind: str) -> dict[str, object]:
        """The object that the act asks for; the retry stays what it was."""
        authored = dict(task.authored)
        self._count += 1
        if kind in ("describe", "define"):
            authored["description"] = f"{self.name} {self._count}"
        if kind == "reschedule":
            authored["schedule"] = every(self._rng, EPOCH, self._rng.choice((2, 3, 5)))
        return authored

    def _write(self, window: Window) -> None:
        os.write(self._file, f"{line_of(window)}\n".encode())


def _schedule(what: str, authored: dict[str, object]) -> dict[str, object] | None:
    schedule = authored["schedule"] if what in ("define", "edit") else None
    assert schedule is None or isinstance(schedule, dict)
    return schedule


def _do(door: TenantLedger, task: Held, kind: str, authored: dict[str, object]) -> str:
    """Act, and the word that the ledger keeps for it."""
    if kind in ("disable", "enable", "delete"):
        did = {"disable": door.disable, "enable": door.enable, "delete": door.delete}[kind](task.task).did
        word = kind
    else:
        did = door.define(task.task, authored).did
        word = "define" if kind == "define" else "edit"
    expected = {"define": "defined", "edit": "edited", "delete": "deleted"}.get(word, f"{word}d")
    if did != expected:
        raise RuntimeError(f"{word} of {task.tenant}/{task.task} was answered {did!r}")
    return word


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--tasks", type=Path, required=True, help="the planned tasks, as JSON")
    parser.add_argument("--windows", type=Path, required=True, help="where each act's transaction is written")
    parser.add_argument("--seed", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    given = parser.parse_args()
    tasks = [Held(*one) for one in json.loads(given.tasks.read_text(encoding="utf-8"))]
    file = os.open(given.windows, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    until = time.monotonic() + given.seconds
    editors = [Editor(given.dsn, tasks[n::THREADS], f"{given.seed} {n}", until, file) for n in range(THREADS)]
    for editor in editors:
        editor.start()
    for editor in editors:
        editor.join()
    failures = [editor.failure for editor in editors if editor.failure is not None]
    for failure in failures:
        print(f"the editor failed: {type(failure).__name__}: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
