"""What the migrations made, and what of it has changed since: indexes, constraints, triggers, privileges.

The promises rest on them: without `one_open` two open rows of a task are possible, without a policy one
tenant reads another's. So each pass reads the catalog and compares it with the text of this release.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.resources import files

from ledger.driver.connect import connect
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.moves.step import Move, ask
from ledger.statements.sweep import READ_CATALOG


def read_catalog() -> Move[frozenset[str]]:
    """The lines that describe this database, each on one line."""
    return frozenset(" ".join(row.line.split()) for row in (yield from ask(READ_CATALOG())))


def expected() -> frozenset[str]:
    """The lines that describe a database of this release."""
    text = (files("ledger") / "migrations" / "catalog.txt").read_text("utf-8")
    return frozenset(text.splitlines())


def differences(found: Iterable[str]) -> list[str]:
    """What is not as the migrations made it: `missing: …` and `unexpected: …`, in order."""
    there, right = frozenset(found), expected()
    return [f"missing: {line}" for line in sorted(right - there)] + [
        f"unexpected: {line}" for line in sorted(there - right)
    ]


def main(dsn: str) -> None:
    """Print the lines of a database that was just migrated, for whoever adds a migration."""
    with connect(dsn, application="ledger catalog") as connection:
        print("\n".join(sorted(run(connection, read_catalog(), Scope("sweeper")))))


if __name__ == "__main__":
    main(sys.argv[1])
