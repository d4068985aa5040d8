"""A Postgres for one session of tests: embedded, in a folder of its own, gone with its data at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.errors import Unreachable
from ledger.server import binaries
from ledger.server.account import server_account
from ledger.server.cluster import Cluster
from ledger.server.creating import create
from ledger.server.starting import start


@contextmanager
def throwaway_server() -> Iterator[str]:
    """The DSN of a running server that nobody else knows, as its superuser. Nothing is forced to disk.

    Raises `Misconfigured` where the embedded server is not installed, `Unreachable` where it cannot start.
    """
    binaries.packaged()
    # Short, since the path of a socket is; and open, since root's server is another account's.
    home = Path(tempfile.mkdtemp(prefix="ledger-testing-"))
    try:
        home.chmod(0o755)
        account = server_account()
        programs = binaries.packaged() if account is None else binaries.copied(home)
        cluster = Cluster(programs, home, account, durable=False)
    except BaseException:
        shutil.rmtree(home)
        raise
    with guarded(cluster.binaries, home):
        create(cluster)
        yield cluster.dsn(start(cluster).port, "postgres")


@contextmanager
def guarded(programs: Path, home: Path) -> Iterator[None]:
    """A process that outlives this one, were it killed, stops the server of `home` and removes the folder.

    It has a session of its own, out of reach of Ctrl-C, and acts when its standard input ends. Raises
    `Unreachable` where it could not.
    """
    command = [sys.executable, "-m", "ledger.server.guard", str(programs), str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=os.environ, start_new_session=True) as guard:
        yield
    if guard.returncode != 0:
        raise Unreachable(f"the server in {home} was not cleaned up; stop it, and remove the folder")
