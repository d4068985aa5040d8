"""The doctor: one page on a database and this installation, and what to change. It changes nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import requires, version

from ledger.driver.connect import SyncConnection
from ledger.driver.migrate import migrations
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import Misconfigured
from ledger.moves.step import Batch, Move
from ledger.release import RELEASE
from ledger.statements.server import (
    READ_MIGRATIONS,
    READ_SERVER,
    READ_SERVER_SETTINGS,
    Applied,
    ServerFacts,
    ServerSetting,
)
from ledger.statements.sweep import READ_SETTINGS, Settings
from sweeper.catalog import differences, read_catalog
from sweeper.findings import SETTINGS, Examined, Finding, judge, unprepared

_PACKAGE = "occurrence-ledger"
# These change what a stored text means (I20).
_PINNED = ("croniter", "python-dateutil", "tzdata")


@dataclass(frozen=True, slots=True)
class Page:
    """What was found, in the order in which things are mended."""

    findings: Sequence[Finding]

    @property
    def well(self) -> bool:
        """Nothing must be changed; there may be advice."""
        return all(one.word != "bad" for one in self.findings)


def examine(connection: SyncConnection) -> Page:
    """Look at a database through a connection in autocommit, as the role that reads all.

    A database that was never migrated, or a login that may not read, is a finding. Raises `Unreachable`.
    """
    scope = Scope("reader")
    began = time.time()
    try:
        server, settings, applied, in_force = run(connection, _look(), scope)
        ended = time.time()
        changed = differences(run(connection, read_catalog(), scope))
    except Misconfigured as error:
        return Page([unprepared(str(error))])
    own = datetime.fromtimestamp((began + ended) / 2, UTC)
    apart = abs(own - server.moment) - timedelta(seconds=(ended - began) / 2)
    return Page(
        judge(
            Examined(
                server=server,
                settings=settings,
                applied=[one.name for one in applied],
                known=list(migrations()),
                in_force=in_force[0] if in_force else None,
                own=RELEASE,
                pins=pins(),
                differences=changed,
                # Whoever connects has noticed a pooler, and prepares nothing behind one.
                direct=connection.prepare_threshold is not None,
                apart=apart,
            )
        )
    )


def pins() -> dict[str, tuple[str, str]]:
    """Of packages that change what a stored text means: the version installed, and the one pinned."""
    asked = dict(one.split("==") for one in requires(_PACKAGE) or () if "==" in one and ";" not in one)
    return {name: (version(name), asked[name]) for name in _PINNED}


def _look() -> Move[tuple[ServerFacts, Sequence[ServerSetting], Sequence[Applied], Sequence[Settings]]]:
    calls = (READ_SERVER(), READ_SERVER_SETTINGS(names=list(SETTINGS)), READ_MIGRATIONS(), READ_SETTINGS())
    server, settings, applied, in_force = yield Batch(calls)
    (facts,) = calls[0].read(server)
    return facts, calls[1].read(settings), calls[2].read(applied), calls[3].read(in_force)
