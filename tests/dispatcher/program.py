"""`ledger run` as a process of its own: what it says, line by line, and the signals it is sent."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.dispatcher.desk import PATIENCE_S

LEDGER = Path(sys.executable).with_name("ledger")
CHECKOUT = Path(__file__).resolve().parents[2]

# `gated` notes that it began and then waits for the test, without an end of its own.
APP = """
import os
from dispatcher import Registry, Run

registry = Registry()
not_a_registry = 7

def note(run: Run) -> None:
    with open(os.environ["NOTES"], "a") as notes:
        notes.write(f"{run.task} {run.attempt} {run.key}\\n")

@registry.handler("gated")
def gated(run: Run) -> str:
    note(run)
    with open(os.environ["GATE"]) as gate:
        return gate.read()

@registry.handler("job")
async def job(run: Run) -> str:
    note(run)
    return run.task
"""


class Program:
    """A running `ledger run`; made by `Stage.running`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def hear(self, *words: str) -> str:
        """Wait for a line that holds all the words, beyond those heard before."""
        return self.hear_until(lambda line: all(word in line for word in words), " ".join(words))

    def hear_until(self, enough: Callable[[str], bool], what: str) -> str:
        # A dispatcher says every tick that it looked: patience ends all the same.
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                line = self._queue.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                line = None
            assert line is not None, f"never heard {what!r}, but:\n" + "".join(self.lines[-30:])
            if enough(line):
                return line

    def tell(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> int:
        """Wait for its end; its exit code."""
        return self.process.wait(PATIENCE_S)

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            self._queue.put(line)
        self._queue.put(None)


class Stage:
    """A folder with an app in it, its notes, and the gate that its `gated` handler waits at."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.gate, self._notes = folder / "gate", folder / "notes"
        (folder / "jobs.py").write_text(APP)
        self._notes.touch()
        os.mkfifo(self.gate)

    @property
    def notes(self) -> list[list[str]]:
        """(task, attempt, key) of each handler that began, in order."""
        return [line.split() for line in self._notes.read_text().splitlines()]

    def open_gate(self, answer: str = "let through") -> None:
        """Let one handler through; waits for it to stand there."""
        self.gate.write_text(answer)

    @contextmanager
    def running(self, dsn: str, *options: str, path: str = str(CHECKOUT)) -> Iterator[Program]:
        """`ledger run` on that database; killed at the end, if it is still there."""
        environment = {
            **os.environ,
            "LEDGER_DSN": dsn,
            "NOTES": str(self._notes),
            "GATE": str(self.gate),
            "PYTHONPATH": path,
        }
        with subprocess.Popen(
            [str(LEDGER), "run", "--app", "jobs:registry", "--verbose", *options],
            cwd=self.folder,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                yield Program(process)
            finally:
                process.kill()
