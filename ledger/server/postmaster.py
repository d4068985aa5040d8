"""What a data folder says of the server that works in it: the lines of its `postmaster.pid`."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple


class Postmaster(NamedTuple):
    """A server process that is alive and works in the folder it was looked for in.

    `state` is Postgres's own word: `starting`, `ready`, `standby`, `stopping`.
    """

    pid: int
    started: datetime
    port: int
    state: str


def postmaster(data: Path) -> Postmaster | None:
    """The live server of `data`, or None: never started, stopped, or its lines are stale."""
    try:
        lines = (data / "postmaster.pid").read_text(encoding="utf-8", errors="replace").splitlines()
        pid = int(lines[0])
        started = datetime.fromtimestamp(int(lines[2]), UTC)
        port = int(lines[3])
    except (FileNotFoundError, NotADirectoryError, IndexError, ValueError):
        return None
    if not works_in(pid, data):
        return None
    # The eighth line comes last; until it is there the server is on its way up.
    return Postmaster(pid, started, port, lines[7].strip() if len(lines) > 7 else "starting")


def misleading(data: Path, sockets: Path | None) -> list[Path]:
    """The files of a server that is gone whose process number is in use all the same.

    By another program, or by the dead server itself where nobody waits for it, as in a container whose first
    process is no init. Postgres mends every other stale file; these it takes for a rival's.
    """
    files = [data / "postmaster.pid", *(sockets.glob(".s.PGSQL.*.lock") if sockets is not None else ())]
    return [path for path in files if _misleads(path, data)]


def _misleads(path: Path, data: Path) -> bool:
    try:
        pid = int(path.read_text(encoding="utf-8", errors="replace").split("\n", 1)[0])
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    return _alive(pid) and not works_in(pid, data)


def works_in(pid: int, data: Path) -> bool:
    """Whether process `pid` is alive and was started on this folder, by its command line.

    The command line is read, not the working folder: inside a container root may not look up another
    account's working folder. A command line that cannot be read counts as the server's, so that a live
    server is never taken for a dead one.
    """
    if not _alive(pid):
        return False
    try:
        line = _command_line(pid)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return str(data.parent) in line


def _command_line(pid: int) -> str:
    """Empty for a process that has ended and was not yet waited for."""
    if Path("/proc/self/cmdline").exists():
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    asked = ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
