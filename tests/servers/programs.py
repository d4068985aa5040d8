"""Where the programs of Postgres 15 and 18 are.

18 is the embedded one of the product. 15 is Debian's: installed, or else fetched and unpacked below the
checkout, which needs no root.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ledger.server import binaries

_CHECKOUT = Path(__file__).resolve().parents[2]
_INSTALLED_15 = Path("/usr/lib/postgresql/15/bin")


class NotAtHand(Exception):
    """The programs of that version cannot be had here; the message says why."""


def programs(major: int, home: Path) -> Path:
    """The folder of `postgres`, `initdb` and `pg_ctl` of that version, for the server's account to run.

    Root's server is another account's, which may be unable to enter the checkout: they are copied to `home`.
    Raises NotAtHand.
    """
    root = os.geteuid() == 0
    if major == 18:
        return binaries.copied(home) if root else binaries.packaged()
    if (_INSTALLED_15 / "postgres").exists():
        return _INSTALLED_15
    unpacked = fetched_15(_CHECKOUT / ".run" / "postgresql-15")
    if root:
        aside = shutil.ignore_patterns("packages", "lists", "cache")
        unpacked = shutil.copytree(unpacked, home / "postgresql-15", symlinks=True, ignore=aside)
    os.environ["LD_LIBRARY_PATH"] = library_path(unpacked)
    return unpacked / _INSTALLED_15.relative_to("/")


def fetched_15(folder: Path) -> Path:
    """`folder` with Debian's Postgres 15 and the libraries it needs that are not installed, unpacked."""
    if (folder / "complete").exists():
        return folder
    for tool in ("apt-get", "apt-cache", "dpkg", "dpkg-query", "ldd"):
        if shutil.which(tool) is None:
            raise NotAtHand(f"no Postgres 15 in {_INSTALLED_15}, and no {tool} to fetch Debian's")
    with alone(folder):
        if not (folder / "complete").exists():
            _fetch(folder)
    return folder


def _fetch(folder: Path) -> None:
    packages = folder / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    own = own_lists(folder)
    tried = apt(["apt-get", "download", "postgresql-15"], packages)
    if tried.returncode != 0:
        # No lists, or old ones: lists of our own need no root.
        apt(["apt-get", *own, "update"], packages)
        tried = apt(["apt-get", *own, "download", "postgresql-15"], packages)
    else:
        own = []
    if tried.returncode != 0:
        said = (tried.stderr.strip().splitlines() or ["apt-get said nothing"])[-1]
        raise NotAtHand(f"no Postgres 15 in {_INSTALLED_15}, and Debian's cannot be fetched: {said}")
    unpack(folder, packages)
    if _wanting(folder):
        libraries = sorted(_libraries_of_postgres(own, packages) - _installed())
        apt(["apt-get", *own, "download", *libraries], packages)
        unpack(folder, packages)
    if wanting := _wanting(folder):
        raise NotAtHand(f"Debian's Postgres 15 was fetched, but these libraries are not there: {wanting}")
    (folder / "complete").touch()


def fetched(program: str, folder: Path, names: Sequence[str]) -> Path:
    """`folder` with those packages of Debian's unpacked, for a program that is not installed.

    Raises NotAtHand.
    """
    if (folder / "complete").exists():
        return folder
    for tool in ("apt-get", "dpkg"):
        if shutil.which(tool) is None:
            raise NotAtHand(f"no {program}, and no {tool} to fetch Debian's")
    with alone(folder):
        if not (folder / "complete").exists():
            packages = folder / "packages"
            packages.mkdir(exist_ok=True)
            tried = apt(["apt-get", "download", *names], packages)
            if tried.returncode != 0:
                own = own_lists(folder)
                apt(["apt-get", *own, "update"], packages)
                tried = apt(["apt-get", *own, "download", *names], packages)
            if tried.returncode != 0:
                said = (tried.stderr.strip().splitlines() or ["apt-get said nothing"])[-1]
                raise NotAtHand(f"no {program}, and Debian's cannot be fetched: {said}")
            unpack(folder, packages)
            (folder / "complete").touch()
    return folder


def unpack(folder: Path, packages: Path) -> None:
    for package in packages.glob("*.deb"):
        subprocess.run(["dpkg", "-x", str(package), str(folder)], check=True, capture_output=True)


def _wanting(folder: Path) -> str:
    """The libraries that the programs in `folder` need and cannot find."""
    there = folder / _INSTALLED_15.relative_to("/")
    programs = [str(there / name) for name in ("postgres", "initdb", "pg_ctl")]
    environment = {**os.environ, "LD_LIBRARY_PATH": library_path(folder)}
    told = subprocess.run(["ldd", *programs], env=environment, check=False, capture_output=True, text=True)
    return ", ".join(sorted(set(re.findall(r"^\s*(\S+) => not found", told.stdout, re.MULTILINE))))


def library_path(folder: Path) -> str:
    """The folders of the libraries that were unpacked beside the programs."""
    return ":".join(sorted({str(path.parent) for path in folder.glob("**/lib/*-linux-*/lib*.so.*")}))


def own_lists(folder: Path) -> list[str]:
    for part in ("lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    return ["-o", f"Dir::State::lists={folder / 'lists'}", "-o", f"Dir::Cache={folder / 'cache'}"]


def _libraries_of_postgres(own: list[str], cwd: Path) -> set[str]:
    plain = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"]
    asked = ["apt-cache", *own, "depends", "--recurse", *(f"--no-{kind}" for kind in plain), "postgresql-15"]
    return set(re.findall(r"^(lib[a-z0-9.+-]+)$", apt(asked, cwd).stdout, re.MULTILINE))


def _installed() -> set[str]:
    asked = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n"]
    lines = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.removesuffix(" installed") for line in lines if line.endswith(" installed")}


def apt(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
