"""Brings a database to this release's schema: numbered files, under a lock, safe to run twice."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

import psycopg

from ledger.driver.connect import SyncConnection, connect
from ledger.driver.transaction import meaning
from ledger.errors import Busy, Misconfigured
from ledger.moves.presence import InForce
from ledger.release import RELEASE

_GROUND = "0000_ground.sql"
# Any number that no other program uses for an advisory lock on this database.
_LOCK = 0x6C65_6467_6572
# Claims and finishes take tables in orders of their own, so a try may also be ended as one of two that wait
# for each other.
_TRIES = 60


def migrations() -> dict[str, str]:
    """Name to text of the numbered files, in order."""
    folder = files("ledger") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return {name: (folder / name).read_text("utf-8") for name in names if name != _GROUND}


@cache
def in_force() -> InForce:
    """The numbers that this release derives with, its schema's too; the `settings` row must show them."""
    return InForce(len(migrations()), *RELEASE)


def migrate(dsn: str) -> list[str]:
    """Apply what is missing, in one transaction; returns the names applied, empty where nothing was.

    Beside running processes it waits for no lock long, since they wait behind it: it tries anew, sixty times.
    Raises `Misconfigured` where the database is newer than this release or an applied file has changed,
    `Unreachable` where no server answers, `Busy` where no try has come through.
    """
    with connect(dsn, application="ledger migrate") as connection:
        for _ in range(_TRIES - 1):
            try:
                return _try(connection)
            except Busy:
                continue
        return _try(connection)


def _try(connection: SyncConnection) -> list[str]:
    try:
        with connection.transaction():
            return _apply(connection)
    except psycopg.Error as error:
        raise meaning(error) from error


def _apply(connection: SyncConnection) -> list[str]:
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
    connection.execute("SET LOCAL lock_timeout = '1s'")
    connection.execute((files("ledger") / "migrations" / _GROUND).read_bytes())
    known: dict[str, str] = dict(connection.execute("SELECT name, digest FROM ledger.migration").fetchall())
    texts = migrations()
    for name in sorted(known.keys() - texts.keys()):
        raise Misconfigured(
            f"the database holds migration {name}, which this release does not know; upgrade the package"
        )
    applied = []
    for name, text in texts.items():
        digest = sha256(text.encode()).hexdigest()
        if name not in known:
            connection.execute(text.encode())
            connection.execute("INSERT INTO ledger.migration (name, digest) VALUES (%s, %s)", (name, digest))
            applied.append(name)
        elif known[name] != digest:
            raise Misconfigured(
                f"migration {name} was applied with another text; a published migration never changes"
            )
    connection.execute(
        """INSERT INTO ledger.settings (schema_version, key_version, digest_version, dialect, tzdata)
           VALUES (%s, %s, %s, %s, %s)
           ON CONFLICT (single) DO UPDATE SET schema_version = excluded.schema_version""",
        (len(texts), RELEASE.key_version, RELEASE.digest_version, RELEASE.dialect, RELEASE.tzdata),
    )
    return applied
