"""Where the demo plays: a database made afresh on the embedded server, dispatchers as processes, commands run
as a person runs them, and the damage that `DEMO_BREAK` asks for.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from uuid import UUID

from ledger import server
from ledger.demo.evidence import VARIABLE
from ledger.driver.afresh import make_afresh
from ledger.driver.connect import connect
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import BadInput, LedgerError
from ledger.moves.step import ask
from ledger.statements.sweep import DROP_OPEN
from ledger.statements.verdicts import LIST_VERDICTS, VerdictRow

DATABASE = "ledger_demo"
APP = "ledger.demo.handlers:registry"
BREAKS = ("projection", "repair")
_START_S = 30
_STOP_S = 15
# A dispatcher says so once it takes work.
_ACTIVE = "state=active"


class DemoFailed(LedgerError):
    """The demo cannot go on; the message says what did not happen."""


@dataclass(slots=True)
class Process:
    """A dispatcher: `ledger run`, and the file that takes what it says."""

    run: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.run.pid

    @property
    def alive(self) -> bool:
        return self.run.poll() is None

    def told(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def await_active(self) -> None:
        """Wait until it takes work. Raises `DemoFailed` with what it said, where it does not."""
        deadline = time.monotonic() + _START_S
        while _ACTIVE not in self.told():
            if not self.alive or time.monotonic() > deadline:
                said = self.told().strip().splitlines() or ["nothing"]
                raise DemoFailed(f"process {self.pid} (`ledger run`) takes no work; it said: {said[-1]}")
            time.sleep(0.02)

    def kill(self) -> None:
        """SIGKILL: it can say nothing and hand nothing back."""
        self.run.kill()
        self.run.wait()

    def stop(self) -> int:
        """SIGTERM, which ends a dispatcher cleanly; its exit code."""
        self.run.send_signal(signal.SIGTERM)
        try:
            return self.run.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.run.returncode


@dataclass(slots=True)
class Stage:
    """One demo's database and files; `lock` keeps a second demo, and dispatchers left by one, out."""

    dsn: str
    folder: Path
    migrations: Sequence[str]
    lock: int
    processes: list[Process] = field(default_factory=list)

    @property
    def evidence(self) -> Path:
        return self.folder / "handlers.jsonl"

    def start_dispatcher(self) -> Process:
        """`ledger run` as a process of its own. It holds the lock, too, for as long as it lives."""
        log = self.folder / f"dispatcher-{len(self.processes) + 1}.log"
        with log.open("wb") as said:
            started = subprocess.Popen(
                _ledger("run", "--app", APP),
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                pass_fds=(self.lock,),
                # Ctrl-C is for the demo, which then ends its dispatchers itself.
                start_new_session=True,
            )
        self.processes.append(Process(started, log))
        return self.processes[-1]

    def command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the ledger's on this database, as a person would."""
        return subprocess.run(
            _ledger(*arguments), env=self._environment(), capture_output=True, text=True, check=False
        )

    def delete_open(self, tenant: str, key: UUID) -> bool:
        """Delete an open row behind the ledger's back; whether it was there."""
        with connect(self.dsn, application="ledger demo") as connection:
            return bool(run(connection, ask(DROP_OPEN(tenant=tenant, key=key)), Scope("sweeper")))

    def verdicts(self) -> list[VerdictRow]:
        """What the newest sweep wrote of each tenant."""
        with connect(self.dsn, application="ledger demo") as connection:
            return run(connection, ask(LIST_VERDICTS()), Scope("reader"))

    def damage(self, what: str) -> None:
        """Break the database for good, as `DEMO_BREAK` asks."""
        with connect(self.dsn, application="ledger demo") as connection:
            connection.execute((files("ledger") / "demo" / "damage" / f"{what}.sql").read_bytes())

    def stop(self) -> list[str]:
        """Stop every dispatcher that still runs; what did not end cleanly."""
        codes = [(process.pid, process.stop()) for process in self.processes if process.alive]
        return [f"unclean: process {pid} (`ledger run`) ended with {code}" for pid, code in codes if code]

    def _environment(self) -> dict[str, str]:
        return os.environ | {"LEDGER_DSN": self.dsn, VARIABLE: str(self.evidence)}


@contextmanager
def stage() -> Iterator[Stage]:
    """The embedded server, started if need be, and the demo's database on it, made afresh.

    At the end the dispatchers are stopped; server, database and files stay. Raises `BadInput` while another
    demo plays, and what keeps the server from starting.
    """
    dsn = server.ensure_started()
    folder = server.status().home / "demo"
    folder.mkdir(mode=0o700, exist_ok=True)
    with _alone(folder) as lock:
        for old in (*folder.glob("*.log"), folder / "handlers.jsonl"):
            old.unlink(missing_ok=True)
        own, migrations = make_afresh(dsn, DATABASE)
        made = Stage(own, folder, migrations, lock)
        made.evidence.touch(mode=0o600)
        try:
            yield made
        finally:
            made.stop()


@contextmanager
def _alone(folder: Path) -> Iterator[int]:
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BadInput(
                f"another demo, or a dispatcher that one left, is at work in {folder}: wait for it or end it"
            ) from error
        yield lock
    finally:
        os.close(lock)


def _ledger(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "ledger", *arguments]
