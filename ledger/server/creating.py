"""Making a data folder: whole, or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from pathlib import Path

from ledger.errors import Unreachable
from ledger.server.account import give
from ledger.server.cluster import DATABASE, SUPERUSER, Cluster


def create(cluster: Cluster, lock: int | None = None) -> None:
    """Make the data folder of `cluster`; `lock` is the descriptor of the lock on its folder.

    It is made under another name and renamed, so a maker that was killed leaves nothing that looks made; what
    it left is removed here. Postgres's programs keep the lock open for as long as they live, so this never
    runs beside the orphan of a killed maker. Raises Unreachable with what Postgres said.
    """
    for left in cluster.home.glob("making-*"):
        shutil.rmtree(left, ignore_errors=True)
    making = Path(tempfile.mkdtemp(prefix="making-", dir=cluster.home))
    try:
        # Postgres's account works in `inner` only: its parent stays the caller's, and so does the password.
        making.chmod(0o755 if cluster.account else 0o700)
        inner = making / "data"
        inner.mkdir(mode=0o700)
        give(inner, cluster.account, 0o700)
        _initdb(cluster, inner, lock)
        _make_database(cluster, inner, lock)
        inner.rename(cluster.data)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _initdb(cluster: Cluster, data: Path, lock: int | None) -> None:
    # initdb reads the password as the server's account, which may not read the caller's file.
    told = data.parent / "password"
    told.touch(mode=0o600)
    told.write_text(_password(cluster), encoding="utf-8")
    give(told, cluster.account, 0o600)
    options = ["--username", SUPERUSER, "--encoding", "UTF8", "--locale", "C"]
    options += ["--auth-local", "trust", "--auth-host", "scram-sha-256", "--pwfile", str(told)]
    if not cluster.durable:
        options.append("--no-sync")
    done = cluster.run("initdb", *options, data=data, lock=lock)
    if done.returncode != 0:
        raise Unreachable(cluster.why(f"initdb could not make {cluster.data}", done.stdout + done.stderr))


def _make_database(cluster: Cluster, data: Path, lock: int | None) -> None:
    """The product's own database, made before anybody can connect, in Postgres's single user mode."""
    options = ["--single"] if cluster.durable else ["--single", "-F"]
    statement = f"CREATE DATABASE {DATABASE}\n"
    done = cluster.run("postgres", *options, "postgres", data=data, stdin=statement, lock=lock)
    if done.returncode != 0 or "ERROR" in done.stderr:
        raise Unreachable(cluster.why(f"could not make the database {DATABASE!r}", done.stderr))


def _password(cluster: Cluster) -> str:
    """The password of this folder, made once; its file has the form that libpq reads."""
    try:
        return cluster.passfile.read_text(encoding="utf-8").strip().rsplit(":", 1)[1]
    except (FileNotFoundError, IndexError):
        password = secrets.token_urlsafe(24)
    descriptor = os.open(cluster.passfile, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"*:*:*:{SUPERUSER}:{password}\n")
    cluster.passfile.chmod(0o600)
    return password
