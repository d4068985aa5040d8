"""Whose server it is: Postgres refuses to run as root, so root's server gets an account of its own.

Everybody else's server runs as themselves. Nothing here opens a folder to anyone: the account reaches its
data and its programs because they stand where every account may pass.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from ledger.errors import Misconfigured

NAME = "occurrence-ledger"
_ADVICE = "make a system account of that name, or name a server of your own in LEDGER_DSN"


class Account(NamedTuple):
    """The system account that root's server runs as."""

    name: str
    uid: int
    gid: int


def server_account() -> Account | None:
    """The account the server must run as, made if it is missing; None where the caller's own will do.

    Raises Misconfigured when the account is missing and cannot be made.
    """
    if os.geteuid() != 0:
        return None
    return _find() or _make()


def _find() -> Account | None:
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError:
        return None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _make() -> Account:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if useradd is None:
        raise Misconfigured(f"Postgres refuses root, and there is no useradd to make {NAME!r}: {_ADVICE}")
    command = [useradd, "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"]
    command += ["--shell", "/usr/sbin/nologin", "--comment", "embedded Postgres of occurrence-ledger", NAME]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    # Another starter may have made it between the look and the attempt; only the outcome counts.
    account = _find()
    if account is None:
        found = made.stderr.strip() or f"exit code {made.returncode}"
        raise Misconfigured(f"could not make the account {NAME!r} for Postgres: {found}; {_ADVICE}")
    return account


def give(path: Path, account: Account | None, mode: int) -> None:
    """Hand `path` to the server's account and close it to `mode`."""
    if account is not None:
        os.chown(path, account.uid, account.gid)
    path.chmod(mode)
