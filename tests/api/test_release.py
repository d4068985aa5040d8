"""I20: a process of another release than the database's projects nothing, and says which number differs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger import AsyncLedger, Ledger, Misconfigured
from tests.api.conftest import Connection, Flavour, done
from tests.commanding import Shell

Ask = Callable[..., list[tuple[object, ...]]]
PULL = {"entrypoint": "work", "delivery": "pull", "schedule": {"every_s": 3600}}
CHANGES = {
    "schema_version": "schema_version + 1",
    "key_version": "2",
    "digest_version": "2",
    "dialect": "2",
    "tzdata": "'1970.1'",
}


@pytest.mark.parametrize("number", CHANGES)
async def test_whatever_changes_the_ledger_is_refused_and_whatever_reads_is_not(
    flavour: Flavour, ledger: Ledger | AsyncLedger, dsn: str, eye: Ask, number: str
) -> None:
    outside = ledger.tenant("acme")
    defined = await done(outside.define("a", PULL))
    key = (await done(outside.run_now("a", "r1"))).key
    eye(f"UPDATE ledger.settings SET {number} = {CHANGES[number]}")  # noqa: S608
    before = eye("SELECT * FROM ledger.occurrence ORDER BY key"), eye("SELECT * FROM ledger.act")
    connection: Connection = await flavour.connect(dsn)
    for acme in (outside, outside.on(connection)):
        for method, *arguments in (
            ("define", "b", PULL),
            ("define_many", {"b": PULL}),
            ("edit", "a", {"timeout_s": 60}),
            ("enable", "a"),
            ("disable", "a"),
            ("delete", "a"),
            ("run_now", "a", "r2"),
            ("cancel", defined.key),
            ("start", key),
            ("finish", key, "succeeded"),
        ):
            with pytest.raises(Misconfigured, match=f"another release than the database.*{number} "):
                await done(getattr(acme, method)(*arguments))
        assert [line.task for line in (await done(acme.list())).rows] == ["a"]
        assert (await done(acme.explain(key))).row.state == "pending"
    await done(connection.close())
    assert (eye("SELECT * FROM ledger.occurrence ORDER BY key"), eye("SELECT * FROM ledger.act")) == before


def test_a_command_exits_3(dsn: str, eye: Ask) -> None:
    shell = Shell(dsn)
    add = ("task", "add", "a", "--every", "1h", "--entrypoint", "x")
    shell.does(*add)
    eye("UPDATE ledger.settings SET tzdata = '1970.1'")
    assert "tzdata" in shell.refuses(*add, code=3)
    assert "a" in shell.does("task", "list").out
