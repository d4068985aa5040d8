"""A server of the benchmark's own, at the defaults of a fresh install, and databases on it."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from ledger import server
from ledger.driver.migrate import migrate


@contextmanager
def fresh_server() -> Iterator[str]:
    """The embedded server as a first command would make it, in a folder that goes with it; its DSN.

    A SIGTERM ends the benchmark as Ctrl-C does, so that no server is left behind.
    """
    home = Path(tempfile.mkdtemp(prefix="ledger-bench-"))
    # Root's server is another account's, which must be able to pass.
    home.chmod(0o755)
    before = os.environ.get("LEDGER_DATA")
    os.environ["LEDGER_DATA"] = str(home / "server")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        yield server.ensure_started()
    finally:
        server.stop()
        if before is None:
            del os.environ["LEDGER_DATA"]
        else:
            os.environ["LEDGER_DATA"] = before
        shutil.rmtree(home)


@contextmanager
def fresh_database(dsn: str, name: str) -> Iterator[str]:
    """A migrated database that holds nothing, dropped at the end."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            own = make_conninfo(dsn, dbname=name)
            migrate(own)
            yield own
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def settle(dsn: str) -> None:
    """A checkpoint and fresh statistics, so that each round starts from the same ground."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("ANALYZE")
        connection.execute("CHECKPOINT")


def load() -> str:
    """How busy the machine is: the mean number of runnable processes over the last minute, and its cores."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
