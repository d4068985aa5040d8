"""An embedded Postgres for whoever has no server at hand: real Postgres 18, started in about a second.

It keeps its data in the user's data folder, is started by the first command that needs it, and lives on when
that command ends. The rest of the product sees an ordinary DSN.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ledger.errors import Misconfigured, Unreachable
from ledger.server import binaries, creating, starting
from ledger.server.account import server_account
from ledger.server.cluster import Cluster

_ROOT_HOME = Path("/var/lib/occurrence-ledger")
_SHELL_SIGNS = {'"', "$", "`", "\\", "\n"}


@dataclass(frozen=True, slots=True)
class Status:
    """What stands and what runs; all but `home` and `running` are None for a server that does not run."""

    running: bool
    home: Path
    log: Path
    dsn: str | None = None
    tcp_dsn: str | None = None
    pid: int | None = None
    port: int | None = None
    started: datetime | None = None
    state: str | None = None


def ensure_started() -> str:
    """The DSN of the embedded server, which is made and started first where it does not run.

    Starting is said on stderr. Many may call this at once: one starts, the others wait for it. Raises
    Misconfigured where something must be installed or chosen first, Unreachable where it cannot start.
    """
    home = _home()
    there = _lookout(home).running()
    if there is not None and there.state == "ready":
        return _lookout(home).dsn(there.port)
    with _failures_said(home):
        _make_home(home)
        with _locked(home) as lock:
            return _start(home, lock)


def stop() -> Status:
    """Stop the embedded server, ending its sessions. The answer says what ran before: nothing is no error."""
    before = status()
    if before.running:
        with _failures_said(before.home), _locked(before.home):
            starting.stop(_cluster(before.home))
    return before


def status() -> Status:
    """What stands and what runs. Starts nothing, makes nothing."""
    cluster = _lookout(_home())
    there = cluster.running()
    if there is None:
        return Status(running=False, home=cluster.home, log=cluster.log)
    return Status(
        running=True,
        home=cluster.home,
        log=cluster.log,
        dsn=cluster.dsn(there.port),
        tcp_dsn=cluster.tcp_dsn(there.port),
        pid=there.pid,
        port=there.port,
        started=there.started,
        state=there.state,
    )


def _home() -> Path:
    """LEDGER_DATA, else root's folder, else the user's data folder."""
    if chosen := os.environ.get("LEDGER_DATA"):
        return Path(chosen).expanduser().resolve()
    if os.geteuid() == 0:
        return _ROOT_HOME
    # The specification of XDG_DATA_HOME has a relative value ignored.
    data_home = os.environ.get("XDG_DATA_HOME", "")
    base = Path(data_home) if data_home.startswith("/") else Path.home() / ".local" / "share"
    return (base / "occurrence-ledger").resolve()


def _lookout(home: Path) -> Cluster:
    """The cluster of `home` for looking only: that needs neither programs nor an account."""
    return Cluster(Path(), home, None)


def _cluster(home: Path) -> Cluster:
    account = server_account()
    return Cluster(binaries.packaged() if account is None else binaries.copied(home), home, account)


def _make_home(home: Path) -> None:
    """Make the folder. Everybody may pass through root's, since its server is another account's."""
    binaries.packaged()  # says what to install before anything is made
    if _SHELL_SIGNS & set(str(home)):
        raise Misconfigured(
            f"{home} holds a sign that Postgres's own programs would have a shell read (one of $ ` \" \\ or a"
            " new line); set LEDGER_DATA to a folder without it"
        )
    if home.exists():
        if home.stat().st_uid != os.geteuid():
            raise Misconfigured(f"{home} belongs to another account; set LEDGER_DATA to a folder of your own")
        return
    home.parent.mkdir(parents=True, exist_ok=True)
    home.mkdir(mode=0o700, exist_ok=True)
    home.chmod(0o755 if os.geteuid() == 0 else 0o700)


def _start(home: Path, lock: int) -> str:
    cluster = _cluster(home)
    began = time.monotonic()
    if not (cluster.data / "PG_VERSION").exists():
        print(f"ledger: no server named (LEDGER_DSN): making one in {home}", file=sys.stderr)
        creating.create(cluster, lock)
    if (there := cluster.running()) is None or there.state != "ready":
        print("ledger: starting the embedded Postgres", file=sys.stderr)
        there = starting.start(cluster)
        took = time.monotonic() - began
        print(
            f"ledger: ready after {took:.1f} s on 127.0.0.1:{there.port}; it keeps running,"
            " `ledger db stop` stops it",
            file=sys.stderr,
        )
    return cluster.dsn(there.port)


@contextmanager
def _locked(home: Path) -> Iterator[int]:
    """Hold the lock of `home`; yields its descriptor. The system lets go of it when the holder dies."""
    descriptor = os.open(home / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(
                f"ledger: waiting for another process that starts or stops the server in {home}",
                file=sys.stderr,
            )
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _failures_said(home: Path) -> Iterator[None]:
    """What the system refused, said as what the caller can mend."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Unreachable(f"no room for the embedded Postgres in {home}: make room, try again") from error
        raise Misconfigured(
            f"the embedded Postgres cannot use {home} ({error}); set LEDGER_DATA to a folder that it can"
        ) from error
