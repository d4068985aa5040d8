"""One Postgres server in one folder: what stands where, and how to reach it.

    home/   data/      what initdb made          server.conf   rewritten at every start
            socket/    the unix socket           server.log    what the server says
            pgpass     the password for TCP      port          chosen once, kept
            lock       held by whoever makes, starts or stops the server

Whoever reaches the unix socket is let in: its folder is closed to all but the server's account, and root.
Over 127.0.0.1, which every account of the machine reaches, a password is asked for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ledger.errors import Misconfigured
from ledger.server.account import Account
from ledger.server.postmaster import Postmaster, postmaster

SUPERUSER = "postgres"
DATABASE = "ledger"
# The address of a unix socket is a field of 108 bytes on Linux, of 104 on macOS, with a zero at its end.
_LONGEST_SOCKET = 103
_LONGEST_RUN_S = 660
# How much of what Postgres said goes into a message, and which of its lines tell nothing.
_TOLD_LINES = 6
_IDLE_TALK = ("pg_ctl:", "waiting for server", "stopped waiting", "Examine the log", "initdb: removing")
_FULL_MB = 64


@dataclass(frozen=True, slots=True)
class Cluster:
    """A server of the programs in `binaries`, with everything it owns below `home`.

    `durable` is False only where the data may be lost at any moment, as in the tests: nothing is then forced
    to disk. `settings` are added to the ones that every server here has.
    """

    binaries: Path
    home: Path
    account: Account | None
    durable: bool = True
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "server.log"

    @property
    def passfile(self) -> Path:
        return self.home / "pgpass"

    @property
    def configuration(self) -> Path:
        return self.home / "server.conf"

    @property
    def sockets(self) -> Path | None:
        """The folder of the unix socket; None where its path is too long, or would be split at a comma."""
        folder = self.home / "socket"
        longest = folder / ".s.PGSQL.65535"
        return folder if len(os.fsencode(longest)) <= _LONGEST_SOCKET and "," not in str(folder) else None

    def running(self) -> Postmaster | None:
        """The server process of this folder, in whatever state, or None."""
        return postmaster(self.data)

    def dsn(self, port: int, database: str = DATABASE) -> str:
        """The address to connect to, by the unix socket where there is one. It holds no secret."""
        if self.sockets is None:
            return self.tcp_dsn(port, database)
        return f"postgresql://{SUPERUSER}@/{database}?host={quote(str(self.sockets), safe='')}&port={port}"

    def tcp_dsn(self, port: int, database: str = DATABASE) -> str:
        """The address over 127.0.0.1; the password is read from the file that it names."""
        passfile = quote(str(self.passfile), safe="")
        return f"postgresql://{SUPERUSER}@127.0.0.1:{port}/{database}?passfile={passfile}"

    def run(
        self, program: str, *arguments: str, data: Path, stdin: str = "", lock: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run one of Postgres's programs on the folder `data`, as the server's account; returns what it says.

        Its exit code is not judged here. Its environment is made from nothing, so that no PGPORT, PGOPTIONS
        or LANG of the caller's shell gets in; `lock` stays open in it. Raises Misconfigured where the account
        may not pass to the programs or the data.
        """
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PGDATA": str(data)}
        environment |= {name: os.environ[name] for name in ("TZ", "LD_LIBRARY_PATH") if name in os.environ}
        account = self.account
        try:
            return subprocess.run(
                [str(self.binaries / program), *arguments],
                cwd=data.parent,
                env=environment,
                input=stdin,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=_LONGEST_RUN_S,
                pass_fds=() if lock is None else (lock,),
                user=None if account is None else account.uid,
                group=None if account is None else account.gid,
                extra_groups=None if account is None else [],
            )
        except PermissionError as error:
            who = "you" if account is None else f"the account {account.name!r}, which Postgres runs as,"
            raise Misconfigured(
                f"{who} may not pass to {self.binaries / program} or {data} ({error.strerror});"
                " set LEDGER_DATA to a folder below one that every account may pass, such as /var/lib"
            ) from error

    def why(self, what: str, said: str) -> str:
        """`what` went wrong, with the last lines that Postgres said, and whether the disk is full."""
        lines = [
            line.strip() for line in said.splitlines() if line.strip() and not line.startswith(_IDLE_TALK)
        ]
        message = f"{what}: {' | '.join(lines[-_TOLD_LINES:]) or 'Postgres said nothing'}"
        free_mb = shutil.disk_usage(self.home).free >> 20
        if free_mb < _FULL_MB:
            message += f"; the disk that holds {self.home} is full ({free_mb} MB free): make room, try again"
        return message
