"""A tenant as a whole: a copy of all that it has, and nothing of it left."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest

from ledger import Ledger, Superseded
from ledger.driver.connect import connect
from sweeper.archiving import Keeping, archive
from sweeper.passes import sweep
from tests.commanding import Shell

PULL = {"entrypoint": "work", "schedule": {"every_s": 3600}, "delivery": "pull"}
Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def eye(dsn: str) -> Iterator[Connection]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def lived(dsn: str, eye: Connection) -> Shell:
    """Two tenants alike, each with a bit of everything; one run of acme's is going on."""
    with Ledger(dsn) as ledger:
        for name in ("acme", "zeta"):
            tenant = ledger.tenant(name)
            tenant.define("report", PULL)
            tenant.edit("report", {"payload": 1})
            tenant.hint("report", every="2h", expires="1d")
            for n in range(3):
                key = tenant.run_now("report", f"r{n}").key
                tenant.start(key)
                if n < 2:
                    tenant.finish(key, "failed" if n else "succeeded")
                    archived(dsn)
            with pytest.raises(Superseded):
                tenant.finish(tenant.run_now("report", "r0").key, "failed")
    with connect(dsn, application="ledger test") as connection:
        sweep(connection)
    for name in ("acme", "zeta"):
        eye.execute("INSERT INTO ledger.tenant_limit (tenant, cap) VALUES (%s, 3)", [name])
        eye.execute("INSERT INTO ledger.usage (tenant, month) VALUES (%s, '2026-12-01')", [name])
    return Shell(dsn)


def archived(dsn: str) -> None:
    with connect(dsn, application="ledger test") as connection:
        archive(connection, Keeping(hot=timedelta(0)))


def naming_tenants(eye: Connection) -> list[str]:
    """Every table of the schema that names a tenant, by the catalog."""
    rows = eye.execute(
        "SELECT table_name::text FROM information_schema.columns c JOIN information_schema.tables t"
        " USING (table_schema, table_name) WHERE table_schema = 'ledger' AND column_name = 'tenant'"
        " AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'archive\\_%'"
    ).fetchall()
    return [str(name) for (name,) in rows if name != "tombstone"] + ["archived_request"]


def held(eye: Connection, tenant: str) -> Counter[str]:
    """How many rows of a tenant each table holds."""
    found = Counter[str]()
    for table in naming_tenants(eye):
        query = f"SELECT count(*)::int FROM ledger.{table} WHERE tenant = %s"  # noqa: S608 - the schema's own names
        ((n,),) = eye.execute(query.encode(), [tenant]).fetchall()
        assert isinstance(n, int)
        found[table] = n
    return +found


def test_a_copy_has_every_row_of_every_table(lived: Shell, eye: Connection, tmp_path: Path) -> None:
    there = held(eye, "acme")
    assert {"task", "act", "definition", "hint", "occurrence", "archive", "archived_request"} <= there.keys()
    assert {"evidence", "verdict", "tenant_limit", "usage"} <= there.keys()
    head, *rows, end = [json.loads(line) for line in lived.does("tenant", "export", "acme").out.splitlines()]
    assert head["tenant"] == "acme"
    assert end == {"end": "acme", "rows": len(rows)}
    assert Counter(row["table"] for row in rows) == there
    assert all(row["row"]["tenant"] == "acme" for row in rows)
    keys = {str(key) for (key,) in eye.execute("SELECT key FROM ledger.archive WHERE tenant = 'acme'")}
    assert {row["row"]["key"] for row in rows if row["table"] == "archive"} == keys
    copy = tmp_path / "acme.jsonl"
    lived.does("tenant", "export", "acme", "--to", str(copy))
    assert [json.loads(line) for line in copy.read_text("utf-8").splitlines()][1:-1] == rows
    assert "nothing of it" in lived.refuses("tenant", "export", "nobody", code=2)


def test_nothing_is_left_of_a_deleted_tenant_and_others_lose_nothing(lived: Shell, eye: Connection) -> None:
    other = lived.does("tenant", "export", "zeta").out
    before = held(eye, "acme")
    for given in ((), ("--confirm", "zeta")):
        assert "confirm it by its name" in lived.refuses("tenant", "delete", "acme", *given, code=2)
    assert "report (" in lived.refuses("tenant", "delete", "acme", "--confirm", "acme", code=2)
    assert held(eye, "acme") == before
    did = lived.does("tenant", "delete", "acme", "--confirm", "acme", "--force", "--json").json
    assert held(eye, "acme") == Counter()
    rows = did["rows"]
    assert isinstance(rows, int)
    assert rows >= before.total()
    assert lived.does("tenant", "export", "zeta").out == other
    assert eye.execute("SELECT tenant, rows FROM ledger.tombstone").fetchall() == [("acme", rows)]
    assert "nothing of it" in lived.refuses("tenant", "delete", "acme", "--confirm", "acme", code=2)


def test_more_pages_than_one_are_copied_and_deleted(lived: Shell, eye: Connection) -> None:
    """The order of each table's key, however many columns it has, misses no row at the end of a page."""
    eye.execute(
        "INSERT INTO ledger.evidence (tenant, key, at, by, what, detail)"
        " SELECT 'acme', gen_random_uuid(), now(), 'test', 'late finish', '' FROM generate_series(1, 4100)"
    )
    eye.execute(
        "INSERT INTO ledger.claimed_once (tenant, key, name)"
        " SELECT 'acme', k, 'it''s ' || n FROM (SELECT gen_random_uuid() k) k, generate_series(1, 4100) n"
    )
    there = held(eye, "acme")
    lines = lived.does("tenant", "export", "acme").out.splitlines()[1:-1]
    assert Counter(json.loads(line)["table"] for line in lines) == there
    assert len(set(lines)) == len(lines)
    lived.does("tenant", "delete", "acme", "--confirm", "acme", "--force")
    assert held(eye, "acme") == Counter()
