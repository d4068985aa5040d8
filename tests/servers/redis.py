"""A private broker: Debian's redis-server, installed, or else fetched and unpacked below the checkout."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers.programs import fetched, library_path

_CHECKOUT = Path(__file__).resolve().parents[2]
# The server's program is in redis-tools; the rest are its libraries.
_PACKAGES = (
    "redis-server",
    "redis-tools",
    "libjemalloc2",
    "liblua5.1-0",
    "liblzf1",
    "lua-cjson",
    "lua-bitop",
)


@contextmanager
def private_redis(folder: Path) -> Iterator[str]:
    """A running broker with no data, its address; ended at the end. Raises NotAtHand."""
    program, environment = _program()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    with subprocess.Popen(
        [program, *settings, "--dir", str(folder)], stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        try:
            said = []
            assert server.stdout is not None
            for line in server.stdout:
                said.append(line)
                if "Ready to accept connections" in line:
                    break
            else:
                raise AssertionError("redis-server did not start:\n" + "".join(said))
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()


def _program() -> tuple[str, dict[str, str]]:
    installed = shutil.which("redis-server")
    if installed is not None:
        return installed, dict(os.environ)
    folder = fetched("redis-server", _CHECKOUT / ".run" / "redis", _PACKAGES)
    return str(folder / "usr/bin/redis-server"), os.environ | {"LD_LIBRARY_PATH": library_path(folder)}
