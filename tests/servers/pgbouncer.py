"""A private pooler: Debian's pgbouncer, installed, or else fetched and unpacked below the checkout."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ledger.server.account import server_account
from tests.servers.programs import fetched, library_path

_CHECKOUT = Path(__file__).resolve().parents[2]
_PACKAGES = ("pgbouncer", "libc-ares2", "libevent-2.1-7")

_SETTINGS = """\
[databases]
{dbname} = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
"""


@contextmanager
def private_pgbouncer(dsn: str, folder: Path) -> Iterator[str]:
    """A pooler in transaction mode before the database of `dsn`, a socket that asks for no password; the DSN
    through it. Ended at the end. Raises NotAtHand.
    """
    program, environment = _program()
    there = conninfo_to_dict(dsn)
    with socket.create_server(("127.0.0.1", 0)) as free:
        own = free.getsockname()[1]
    settings = folder / "pgbouncer.ini"
    settings.write_text(_SETTINGS.format(**there, own=own))
    # As root it refuses to run; the account is the one that Postgres has.
    account = server_account()
    command = [program, *([] if account is None else ["--user", account.name]), str(settings)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as pooler:
        try:
            said = []
            assert pooler.stderr is not None
            for line in pooler.stderr:
                said.append(line)
                if "process up" in line:
                    break
            else:
                raise AssertionError("pgbouncer did not start:\n" + "".join(said))
            yield make_conninfo(dsn, host="127.0.0.1", port=own, sslmode="disable", gssencmode="disable")
        finally:
            pooler.terminate()


def _program() -> tuple[str, dict[str, str]]:
    installed = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if installed is not None:
        return installed, dict(os.environ)
    folder = fetched("pgbouncer", _CHECKOUT / ".run" / "pgbouncer", _PACKAGES)
    return str(folder / "usr/sbin/pgbouncer"), os.environ | {"LD_LIBRARY_PATH": library_path(folder)}
