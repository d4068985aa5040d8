"""Other releases of tzdata: a real one from the registry, or one made of the installed files by hand.

A process has the release that its path finds first, so the ledger's own commands run under another one as
they would on a machine where that is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path

from tests.commanding import Said
from tests.servers.programs import NotAtHand

CHECKOUT = Path(__file__).resolve().parents[2]
LEDGER = Path(sys.executable).with_name("ledger")
INSTALLED = version("tzdata")
# Before every real one.
MADE = "1999.1"


class Installation:
    """A folder that comes first on the path of a process, with a tzdata in it."""

    def __init__(self, folder: Path, tzdata: str) -> None:
        self.folder, self.tzdata = folder, tzdata

    @property
    def path(self) -> str:
        return os.pathsep.join((str(self.folder), str(CHECKOUT)))

    def ledger(self, dsn: str, *arguments: str) -> Said:
        """Run a command with these zone rules, for the tenant `acme`."""
        environment = {**os.environ, "LEDGER_DSN": dsn, "LEDGER_TENANT": "acme", "PYTHONPATH": self.path}
        done = subprocess.run(
            [str(LEDGER), *arguments], env=environment, capture_output=True, text=True, check=False
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def does(self, dsn: str, *arguments: str) -> Said:
        said = self.ledger(dsn, *arguments)
        assert said.code == 0, said
        return said


def real(tzdata: str) -> Installation:
    """A release as it was published, fetched once. Raises NotAtHand."""
    folder = CHECKOUT / ".run" / f"tzdata-{tzdata}"
    if not (folder / "tzdata" / "zones").exists():
        fetch = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade"]
        done = subprocess.run(
            [*fetch, "--target", str(folder), f"tzdata=={tzdata}"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise NotAtHand(f"tzdata {tzdata} cannot be fetched: {said}")
    return Installation(folder, tzdata)


def made(folder: Path, zones: Mapping[str, str], tzdata: str = MADE) -> Installation:
    """The installed release, but for these zones: each is another one's file, or is new by that name."""
    with as_file(files("tzdata")) as installed:
        shutil.copytree(installed, folder / "tzdata", ignore=shutil.ignore_patterns("__pycache__"))
        for name, donor in zones.items():
            target = folder / "tzdata" / "zoneinfo" / name
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(installed / "zoneinfo" / donor, target)
    names = folder / "tzdata" / "zones"
    lines = names.read_text("utf-8").splitlines()
    names.write_text("\n".join([*lines, *(name for name in zones if name not in lines)]) + "\n", "utf-8")
    about = folder / f"tzdata-{tzdata}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: tzdata\nVersion: {tzdata}\n", "utf-8")
    return Installation(folder, tzdata)
