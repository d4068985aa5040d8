"""Two published releases of tzdata on one ledger: who may project, what would change, and the move (I20)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from tests.commanding import Shell
from tests.moves.audits import AUDITS
from tests.servers.databases import Databases
from tests.servers.programs import NotAtHand
from tests.zones.releases import INSTALLED, Installation, real

# Until 2026 British Columbia put its clocks back in winter; then it kept summer's time for good.
OLD = "2025.2"
NEW_YEAR = ("--entrypoint", "x", "--cron", "0 9 1 1 *", "--timezone")
NOW = datetime.now(UTC)
# The year of the next New Year's morning.
YEAR = NOW.year + (datetime(NOW.year, 1, 1, 16, tzinfo=UTC) < NOW)


@pytest.fixture(scope="module")
def old() -> Installation:
    try:
        return real(OLD)
    except NotAtHand as error:
        pytest.skip(str(error))


@pytest.fixture
def ledger(databases: Databases, old: Installation) -> Iterator[str]:
    """A database that the old release made, with a task of each kind of zone."""
    name = databases.empty()
    dsn = databases.dsn(name)
    old.does(dsn, "migrate")
    for task, *zone in (("vancouver", "America/Vancouver"), ("paris", "Europe/Paris"), ("utc", "UTC")):
        old.does(dsn, "task", "add", task, *NEW_YEAR, *zone)
    yield dsn
    databases.drop(name)


def rows(dsn: str, statement: str, *params: object) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(statement.encode(), params or None).fetchall()


def test_the_rules_move_forward_once_and_each_process_says_where_it_stands(
    ledger: str, old: Installation
) -> None:
    was, then = f"{YEAR}-01-01T17:00:00.000000Z", f"{YEAR}-01-01T16:00:00.000000Z"
    shell = Shell(ledger)
    # The new release projects nothing before it is in force.
    said = shell.refuses("task", "add", "more", *NEW_YEAR, "Europe/Rome", code=3)
    assert f"tzdata {INSTALLED} here, {OLD} in force" in said
    assert "ledger migrate zones" in said
    assert shell("sweep").code == 2
    assert shell("health").code == 2

    # What it would change is told by a session that cannot write.
    reader = Shell(psycopg.conninfo.make_conninfo(ledger, options="-c default_transaction_read_only=on"))
    foreseen = reader("doctor", "zones", "--json")
    assert foreseen.code == 1
    (row,) = foreseen.rows
    assert (row["tenant"], row["task"], row["zone"]) == ("acme", "vancouver", "America/Vancouver")
    assert (row["due"], row["then"]) == (was, then)
    assert foreseen.json["looked_at"] == 2
    assert (foreseen.json["in_force"], foreseen.json["own"]) == (OLD, INSTALLED)
    assert "America/Vancouver" in reader("doctor", "zones").out

    moved = shell.does("migrate", "zones", "--json").json
    assert (moved["moved_from"], moved["moved_to"], moved["moved"]) == (OLD, INSTALLED, 1)
    acts = rows(ledger, "SELECT task, n, what, note FROM ledger.act WHERE n > 1")
    assert acts == [("vancouver", 2, "zones", f"zone rules of tzdata {INSTALLED}")]
    series = rows(
        ledger,
        "SELECT task, state, extract(hour FROM due AT TIME ZONE 'UTC')::int, tzdata, reason"
        " FROM ledger.occurrence ORDER BY task, due",
    )
    assert series == [
        ("paris", "pending", 8, INSTALLED, None),
        ("utc", "pending", 9, OLD, None),
        ("vancouver", "pending", 16, INSTALLED, None),
        ("vancouver", "retired", 17, OLD, "zones"),
    ]
    assert rows(ledger, "SELECT tzdata, zones_from FROM ledger.settings") == [(INSTALLED, None)]
    # Done again it changes nothing (I15).
    assert shell.does("migrate", "zones", "--json").json["moved"] == 0
    assert rows(ledger, "SELECT count(*) FROM ledger.act WHERE n > 1") == [(1,)]
    assert shell.does("doctor", "zones", "--json").rows == []
    assert shell.does("sweep", "--json").json["healthy"] == 1
    assert [found for query in AUDITS.values() for found in rows(ledger, query)] == []

    # The old release is out: it projects nothing, and rules never go backward.
    for arguments in (("task", "add", "late", *NEW_YEAR, "UTC"), ("doctor", "zones"), ("migrate", "zones")):
        refused = old.ledger(ledger, *arguments)
        assert refused.code == 3, refused
        assert f"tzdata {INSTALLED}" in refused.err
    assert "backward" in refused.err
    assert old.ledger(ledger, "task", "list").code == 0
