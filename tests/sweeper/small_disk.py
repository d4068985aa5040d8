"""A private server that has a small disk beside its own: a tmpfs in a mount namespace, no root needed."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psycopg

from ledger.server.account import server_account
from ledger.server.cluster import Cluster
from ledger.server.creating import create
from ledger.server.starting import start
from tests.servers.private import guarded
from tests.servers.programs import NotAtHand, programs

SPACE = "small"
_SIZE = "16m"
# Only `start` is another than Postgres's own: within a namespace in which the small disk is mounted.
_PG_CTL = """#!/bin/sh
case "$1" in
start) exec unshare -Um --map-current-user --keep-caps sh -c '
           mount -t tmpfs -o size={size},mode=0700 tmpfs "$0"
           exec "$@"' {disk} {real}/pg_ctl "$@" ;;
*) exec {real}/pg_ctl "$@" ;;
esac
"""


class SmallDisk(NamedTuple):
    """The server, and whether the tablespace `small` is there: some systems allow no namespaces."""

    cluster: Cluster
    there: bool


@contextmanager
def server_with_small_disk(major: int) -> Iterator[SmallDisk]:
    """A running server, with the tablespace where it can be had. Raises NotAtHand."""
    home = Path(tempfile.mkdtemp(prefix=f"ledger-disk{major}-"))
    try:
        home.chmod(0o755)
        account = server_account()
        real = programs(major, home)
        disk, wrapped = home / "disk", home / "wrapped"
        for folder in (disk, wrapped):
            folder.mkdir()
        if account is not None:
            shutil.chown(disk, account.uid, account.gid)
        for program in real.iterdir():
            (wrapped / program.name).symlink_to(program)
        (wrapped / "pg_ctl").unlink()
        text = _PG_CTL.format(size=_SIZE, disk=shlex.quote(str(disk)), real=shlex.quote(str(real)))
        (wrapped / "pg_ctl").write_text(text, encoding="utf-8")
        (wrapped / "pg_ctl").chmod(0o755)
        mountable = _can_mount(account and account.uid, disk)
        cluster = Cluster(wrapped if mountable else real, home, account, durable=False)
    except BaseException:
        shutil.rmtree(home)
        raise
    with guarded(real, home):
        create(Cluster(real, home, account, durable=False))
        there = start(cluster)
        if mountable:
            with psycopg.connect(cluster.dsn(there.port, "postgres"), autocommit=True) as connection:
                connection.execute(f"CREATE TABLESPACE {SPACE} LOCATION '{disk}'".encode())
        yield SmallDisk(cluster, mountable)


def _can_mount(uid: int | None, disk: Path) -> bool:
    """Whether this system lets an ordinary account mount a tmpfs in a namespace of its own."""
    if shutil.which("unshare") is None:
        return False
    tried = [
        "unshare",
        "-Um",
        "--map-current-user",
        "--keep-caps",
        "mount",
        "-t",
        "tmpfs",
        "tmpfs",
        str(disk),
    ]
    groups: list[int] | None = None if uid is None else []
    done = subprocess.run(tried, user=uid, extra_groups=groups, capture_output=True, check=False)
    return done.returncode == 0


__all__ = ["SPACE", "NotAtHand", "SmallDisk", "server_with_small_disk"]
