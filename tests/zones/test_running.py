"""Dispatchers of two releases while the rules move: one works at a time; nothing lost, nothing twice."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commanding import Shell
from tests.dispatcher.program import Stage
from tests.moves.audits import AUDITS
from tests.servers.databases import Databases
from tests.zones.releases import INSTALLED, MADE, Installation, made
from tests.zones.test_releases import rows


@pytest.fixture
def old(tmp_path: Path) -> Installation:
    """A release in which Paris had the time of Moscow."""
    return made(tmp_path / "old", {"Europe/Paris": "Europe/Moscow"})


@pytest.fixture
def ledger(databases: Databases, old: Installation) -> Iterator[str]:
    name = databases.empty()
    dsn = databases.dsn(name)
    old.does(dsn, "migrate")
    yield dsn
    databases.drop(name)


def test_one_works_at_a_time_and_the_series_go_on(ledger: str, old: Installation, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    stage = Stage(tmp_path / "app")
    old.does(ledger, "task", "add", "each-second", "--entrypoint", "job", "--every", "1s")
    paris = ("--cron", "30 12 29 2 *", "--timezone", "Europe/Paris")
    old.does(ledger, "task", "add", "leap-day", "--entrypoint", "job", *paris)
    with stage.running(ledger, path=old.path) as before, stage.running(ledger) as after:
        before.hear("state=active")
        said = after.hear("state=blocked")
        assert f"tzdata {INSTALLED} here, {MADE} in force" in said
        for _ in range(2):
            before.hear("run written")
        Shell(ledger).does("migrate", "zones")
        said = before.hear("state=blocked")
        assert f"tzdata {MADE} here, {INSTALLED} in force" in said
        after.hear("state=active")
        for _ in range(2):
            after.hear("run written")
        for program in (before, after):
            program.tell(signal.SIGTERM)
            assert program.end() == 0

    assert [found for query in AUDITS.values() for found in rows(ledger, query)] == []
    ran = [key for _, _, key in stage.notes]
    assert len(ran) == len(set(ran))
    succeeded = rows(ledger, "SELECT key::text FROM ledger.occurrence WHERE state = 'succeeded'")
    assert sorted(ran) == sorted(str(key) for (key,) in succeeded)
    late = (
        "SELECT o.key FROM ledger.occurrence o, ledger.act a WHERE a.what = 'zones' AND o.created > a.at"
        " AND o.tzdata <> %s"
    )
    assert rows(ledger, late, INSTALLED) == []
    leap_day = (
        "SELECT state, extract(hour FROM due AT TIME ZONE 'UTC')::int, tzdata FROM ledger.occurrence"
        " WHERE task = 'leap-day' ORDER BY state"
    )
    assert rows(ledger, leap_day) == [("pending", 11, INSTALLED), ("retired", 9, MADE)]
