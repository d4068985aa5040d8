"""A private server for one test run, or for one test that must break its server."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.server.account import server_account
from ledger.server.cluster import Cluster
from ledger.server.creating import create
from ledger.server.starting import start
from ledger.server.throwaway import guarded
from tests.servers.programs import programs

__all__ = ["guarded", "private_server"]


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
