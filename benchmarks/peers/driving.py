"""A peer's program, installed by itself, and what is measured of it.

A program enqueues its jobs, says `ready`, waits for a line, starts its worker, and says `began` with its own
clock when the first handler is called. It is measured from then until a look every 10 ms finds no job left.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from benchmarks.private import settle
from conformance.second import node_program

HERE = Path(__file__).parent
INSTALLED = HERE.parents[1] / ".run" / "peers"
WAIT_S = 240.0


@dataclass(frozen=True, slots=True)
class Peer:
    """`left`: a statement that answers a row while a job is left."""

    name: str
    program: str
    left: str


PEERS = (
    Peer("PgQueuer", "drive_pgqueuer.py", "SELECT 1 FROM pgqueuer LIMIT 1"),
    Peer("Graphile Worker", "drive_graphile.mjs", "SELECT 1 FROM graphile_worker._private_jobs LIMIT 1"),
    Peer(
        "pg-boss",
        "drive_pgboss.mjs",
        "SELECT 1 FROM pgboss.job WHERE name = 'noop' AND state < 'completed' LIMIT 1",
    ),
)


def install() -> None:
    """Install the peers at their pinned versions below the checkout, unless that has been done."""
    pins = [HERE / "pgqueuer.txt", HERE / "package.json"]
    stamp, wanted = (
        INSTALLED / "installed",
        hashlib.sha256(b"".join(p.read_bytes() for p in pins)).hexdigest(),
    )
    if stamp.exists() and stamp.read_text(encoding="ascii") == wanted:
        return
    venv.create(INSTALLED / "python", with_pip=True, clear=True)
    _run(str(INSTALLED / "python/bin/pip"), "install", "--quiet", "-r", str(pins[0]))
    for each in (*HERE.glob("*.mjs"), pins[1]):
        (INSTALLED / each.name).write_bytes(each.read_bytes())
    node = node_program()
    _run(
        str(node),
        str(node.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"),
        "install",
        "--no-package-lock",
    )
    stamp.write_text(wanted, encoding="ascii")


def measure(peer: Peer, dsn: str, jobs: int) -> float:
    """Jobs a second. Raises RuntimeError where not all are done in time."""
    with (
        subprocess.Popen(
            [*_program(peer), _url(dsn), str(jobs)],
            cwd=INSTALLED,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
        psycopg.connect(dsn, autocommit=True) as watch,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            _expect(process.stdout.readline(), "ready", peer)
            settle(dsn)
            process.stdin.write("go\n")
            process.stdin.flush()
            began = float(_expect(process.stdout.readline(), "began", peer))
            deadline = time.monotonic() + WAIT_S
            while watch.execute(peer.left.encode()).fetchall():
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{peer.name} was not done within {WAIT_S:g} s")
                time.sleep(0.01)  # often enough to time the end, seldom enough not to slow it
            return jobs / (time.time() - began)
        finally:
            process.kill()


def _url(dsn: str) -> str:
    """The DSN as an address, which is what other libraries read."""
    told = conninfo_to_dict(dsn)
    where = urlencode({name: str(told[name]) for name in ("host", "port", "user") if told.get(name)})
    return f"postgresql:///{told['dbname']}?{where}"


def _program(peer: Peer) -> list[str]:
    if peer.program.endswith(".mjs"):
        return [str(node_program()), str(INSTALLED / peer.program)]
    return [str(INSTALLED / "python/bin/python"), str(HERE / peer.program)]


def _expect(line: str, word: str, peer: Peer) -> str:
    said, _, rest = line.strip().partition(" ")
    if said != word:
        raise RuntimeError(f"{peer.name} said {line!r} instead of {word!r}")
    return rest


def _run(*command: str) -> None:
    path = os.pathsep.join([str(node_program().parent), os.environ.get("PATH", "")])
    subprocess.run(command, cwd=INSTALLED, check=True, stdout=sys.stderr, env={**os.environ, "PATH": path})
