"""Starting and stopping a server that has its data folder."""

from __future__ import annotations

import os
import secrets
import shlex
import socket
import sys
import time
from typing import Literal

from ledger.errors import Misconfigured, Unreachable
from ledger.server.account import give
from ledger.server.cluster import Cluster
from ledger.server.memory import cache_mb
from ledger.server.postmaster import Postmaster, misleading

# Below the ports that systems hand out to outgoing connections, which could take it while the server is down.
_PORTS = range(20000, 32000)
_START_S = 600
_STOP_S = 120
_TRIES = 5


def start(cluster: Cluster) -> Postmaster:
    """Start the server of `cluster`, or wait for the one on its way up or down; the caller holds the lock.

    The server leaves the caller's session and lives on. Raises Unreachable with what Postgres said, and
    Misconfigured where the data were made by another major version.
    """
    _same_version(cluster)
    _settle(cluster)
    if (there := cluster.running()) is not None:
        return there
    _lay_out(cluster)
    for stale in misleading(cluster.data, cluster.sockets):
        _say(f"removing {stale}: its server is gone, its number is another program's now")
        stale.unlink()
    for _ in range(_TRIES):
        port = _port(cluster)
        _configure(cluster, port)
        said = _pg_ctl_start(cluster)
        if said is None:
            break
        # The pg_ctl of a starter that was killed may have been quicker: then its server is the server.
        _settle(cluster)
        if cluster.running() is not None:
            break
        # The port was free a moment ago and another program was quicker: the next look finds it taken.
        if "Address already in use" not in said or _free(port):
            raise Unreachable(cluster.why(f"Postgres did not start in {cluster.data}", said))
    there = cluster.running()
    if there is None:
        raise Unreachable(cluster.why(f"Postgres in {cluster.data} ended at once", _tail(cluster, 0)))
    return there


def stop(cluster: Cluster, mode: Literal["fast", "immediate"] = "fast") -> bool:
    """Stop the server and wait until it is gone; False if there was none. Open sessions are ended.

    `immediate` loses nothing that was committed, but the next start has to recover. Raises Unreachable when
    the server does not end in time.
    """
    if cluster.running() is None:
        return False
    options = ["--wait", "--timeout", str(_STOP_S), "--mode", mode]
    done = cluster.run("pg_ctl", "stop", *options, data=cluster.data)
    if done.returncode != 0 and cluster.running() is not None:
        raise Unreachable(cluster.why(f"Postgres in {cluster.data} did not stop", done.stdout + done.stderr))
    return True


def _same_version(cluster: Cluster) -> None:
    made_by = (cluster.data / "PG_VERSION").read_text(encoding="ascii").strip()
    # "postgres (PostgreSQL) 18.1", and more words behind it in the builds of distributions.
    said = cluster.run("postgres", "--version", data=cluster.data).stdout
    has = said.partition("(PostgreSQL)")[2].strip().partition(".")[0]
    if made_by != has:
        raise Misconfigured(
            f"the data in {cluster.data} were made by Postgres {made_by}, the programs are Postgres {has};"
            f" dump them with Postgres {made_by}, or set LEDGER_DATA to a new folder"
        )


def _settle(cluster: Cluster) -> None:
    """Wait while a server comes up or goes down, as after a starter that was killed, or while it recovers."""
    deadline = time.monotonic() + _START_S
    while (there := cluster.running()) is not None and there.state in ("starting", "stopping"):
        if time.monotonic() > deadline:
            raise Unreachable(f"Postgres in {cluster.data}, process {there.pid}, is still {there.state}")
        time.sleep(0.02)


def _lay_out(cluster: Cluster) -> None:
    """The folder of the socket, and the log: the server's account owns them, and the data."""
    if cluster.sockets is not None:
        cluster.sockets.mkdir(mode=0o700, exist_ok=True)
        give(cluster.sockets, cluster.account, 0o700)
    cluster.log.touch(mode=0o600)
    give(cluster.log, cluster.account, 0o600)


def _port(cluster: Cluster) -> int:
    """The port of this folder: the one that it had, or a new one where there is none or it is taken."""
    kept = cluster.home / "port"
    try:
        port = int(kept.read_text(encoding="ascii"))
    except (FileNotFoundError, ValueError):
        port = None
    if port is not None and _free(port):
        return port
    new = next(filter(_free, (secrets.choice(_PORTS) for _ in range(1000))), None)
    if new is None:
        raise Unreachable(f"no free port on 127.0.0.1 between {_PORTS.start} and {_PORTS.stop} for Postgres")
    if port is not None:
        _say(f"port {port} is taken by another program; the server now listens on {new}")
    kept.write_text(f"{new}\n", encoding="ascii")
    return new


def _free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As Postgres binds: connections that linger after a stop do not keep the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _configure(cluster: Cluster, port: int) -> None:
    """Write the settings; they stand after initdb's and before those that ALTER SYSTEM wrote."""
    sockets = "" if cluster.sockets is None else '"' + str(cluster.sockets).replace('"', '""') + '"'
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": sockets,
        "unix_socket_permissions": "0700",
        "shared_buffers": f"{cache_mb()}MB",
    }
    if not cluster.durable:
        settings |= {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
    lines = ["# Written at every start. For settings of your own use ALTER SYSTEM."]
    lines.append(f"include {_quoted(str(cluster.data / 'postgresql.conf'))}")
    lines += [f"{name} = {_quoted(value)}" for name, value in {**settings, **dict(cluster.settings)}.items()]
    cluster.configuration.write_text("\n".join(lines) + "\n", encoding="utf-8")
    cluster.configuration.chmod(0o644)


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _pg_ctl_start(cluster: Cluster) -> str | None:
    """None when the server is up, else what it said. pg_ctl gives it a session of its own and waits for it.

    pg_ctl writes a line for the shell, so what it names there comes from the environment, stands in the
    working folder, or is quoted.
    """
    before = cluster.log.stat().st_size
    configured = f"-c config_file={shlex.quote(str(cluster.configuration))}"
    options = ["--wait", "--timeout", str(_START_S), "--silent", "--log", cluster.log.name]
    done = cluster.run("pg_ctl", "start", *options, "--options", configured, data=cluster.data)
    return None if done.returncode == 0 else _tail(cluster, before) + done.stderr


def _tail(cluster: Cluster, offset: int) -> str:
    with cluster.log.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        file.seek(max(offset, size - 8192))
        return file.read().decode(errors="replace")


def _say(message: str) -> None:
    print(f"ledger: {message}", file=sys.stderr)
