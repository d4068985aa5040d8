"""The processes of a soak: dispatchers, killed and started again, and a sweep every few seconds."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from benchmarks.fleet import CHECKOUT, RUN

APP = "benchmarks.soak.handlers:registry"
SWEEP = [sys.executable, "-m", "ledger", "sweep"]
# Between two blows, how long a process stays away, and every how many blows it is asked to stop instead.
BLOW_S = 5.0, 9.0
AWAY_S = 0.0, 3.0
STOP_EVERY = 4
SWEEP_EVERY_S = 4.0
END_S = 60.0


@dataclass(slots=True)
class Process:
    """One life of a dispatcher, from its start to what the system said of its end."""

    name: str
    process: subprocess.Popen[bytes]
    began: datetime
    ended: datetime | None = None
    how: str = ""


@dataclass(slots=True)
class Fleet:
    """Two dispatchers, `a` that is struck and `b` that lives, and every life that there was."""

    dsn: str
    folder: Path
    clock: Callable[[], datetime]
    # Whose release it is that they run.
    checkout: Path = CHECKOUT
    lives: list[Process] = field(default_factory=list)

    def start(self, slot: str) -> Process:
        """Start the next life of a dispatcher."""
        count = sum(life.name.startswith(f"{slot}-") for life in self.lives) + 1
        name = f"{slot}-{count}"
        with (self.folder / f"run-{name}.log").open("ab") as said:
            process = subprocess.Popen(
                [*RUN, "--dsn", self.dsn, "--app", APP],
                cwd=self.checkout,
                env={**os.environ, "SOAK_FOLDER": str(self.folder), "SOAK_LIFE": name},
                stdout=said,
                stderr=said,
            )
        self.lives.append(Process(name, process, self.clock()))
        return self.lives[-1]

    def kill(self, life: Process) -> None:
        """SIGKILL; that it was this that ended it is what the system says."""
        life.process.kill()
        code = life.process.wait()
        life.ended, life.how = self.clock(), "killed" if code == -signal.SIGKILL else f"ended with {code}"

    def stop(self, life: Process) -> None:
        """SIGTERM, and wait for its clean end."""
        life.process.terminate()
        code = life.process.wait(END_S)
        life.ended, life.how = self.clock(), "stopped" if code == 0 else f"ended with {code}"

    def end(self) -> None:
        """Stop whatever still runs."""
        for life in self.lives:
            if life.ended is None:
                self.stop(life)

    def alive(self) -> list[Process]:
        return [life for life in self.lives if life.process.poll() is None]


def strike(fleet: Fleet, rng: random.Random, until: float) -> None:
    """Kill `a` and start it again, until a time of the monotonic clock; now and then let it stop cleanly."""
    life = fleet.lives[0]
    blow = 0
    while True:
        wait = rng.uniform(*BLOW_S)
        if time.monotonic() + wait > until:
            return
        time.sleep(wait)  # blows come at random
        blow += 1
        (fleet.stop if blow % STOP_EVERY == 0 else fleet.kill)(life)
        time.sleep(rng.uniform(*AWAY_S))  # so long it stays away
        life = fleet.start("a")


def sweep_until(dsn: str, log: Path, done: Callable[[], bool]) -> list[int]:
    """`ledger sweep` again and again; what each answered."""
    codes = []
    while not done():
        began = time.monotonic()
        with log.open("ab") as said:
            codes.append(
                subprocess.run(
                    [*SWEEP, "--dsn", dsn], cwd=CHECKOUT, stdout=said, stderr=said, check=False
                ).returncode
            )
        while time.monotonic() < began + SWEEP_EVERY_S and not done():
            time.sleep(0.1)  # until the next sweep, as cron would, or the end
    return codes
