"""A private server for one test run, or for one test that must break its server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.server.account import server_account
from ledger.server.cluster import Cluster
from ledger.server.creating import create
from ledger.server.starting import start
from tests.servers.programs import programs

_CHECKOUT = Path(__file__).resolve().parents[2]


@contextmanager
def private_server(major: int) -> Iterator[Cluster]:
    """A running server of that version in a folder of its own; gone, with its data, at the end.

    Nothing is forced to disk: these data are worth nothing after the run. Raises NotAtHand.
    """
    # Short, since the path of a socket is; and open, since root's server is another account's.
    home = Path(tempfile.mkdtemp(prefix=f"ledger-pg{major}-"))
    try:
        home.chmod(0o755)
        cluster = Cluster(programs(major, home), home, server_account(), durable=False)
    except BaseException:
        shutil.rmtree(home)
        raise
    with guarded(cluster.binaries, home):
        create(cluster)
        start(cluster)
        yield cluster


@contextmanager
def guarded(binaries: Path, home: Path) -> Iterator[None]:
    """A process that outlives this one stops the server of `home` and removes the folder.

    It has a session of its own, out of reach of Ctrl-C.
    """
    command = [sys.executable, "-m", "tests.servers.guard", str(binaries), str(home)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, cwd=_CHECKOUT, env=os.environ, start_new_session=True
    ) as guard:
        yield
        # Leaving the block closes the guard's standard input and waits for it.
    assert guard.returncode == 0, f"the server in {home} was not cleaned up"
