"""Ends a test run's server when the run ends, however it ends.

Run as a process of its own that reads its standard input: the run holds the other end, and the system closes
it even when the run is killed. Then the server is stopped and its folder removed.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from ledger.server.account import server_account
from ledger.server.cluster import Cluster
from ledger.server.starting import stop


def main(binaries: Path, home: Path) -> None:
    sys.stdin.read()
    try:
        stop(Cluster(binaries, home, server_account()), "immediate")
    finally:
        if home.exists():
            shutil.rmtree(home)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
