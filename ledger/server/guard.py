"""Ends a test session's server when the session ends, however it ends.

A process of its own that reads its standard input: the session holds the other end, and the system closes it
even when the session is killed.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from ledger.server.account import server_account
from ledger.server.cluster import Cluster
from ledger.server.starting import stop


def main(binaries: Path, home: Path) -> None:
    """Wait for the end of the session, then stop its server and remove its folder."""
    sys.stdin.read()
    try:
        stop(Cluster(binaries, home, server_account()), "immediate")
    finally:
        if home.exists():
            shutil.rmtree(home)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
