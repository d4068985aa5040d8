"""The doctor's page: what it says of a sound database, and of each thing that is not as it should be."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from ledger.driver.connect import connect
from ledger.release import RELEASE
from ledger.statements.server import ServerFacts, ServerSetting
from ledger.statements.sweep import Settings
from sweeper.doctor import Page, examine, pins
from sweeper.findings import ROLES, Examined, judge
from tests.commanding import Shell
from tests.dispatcher.pooler import pooled
from tests.servers.databases import Databases
from tests.sweeper.book import Book

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOT = "fillfactor=80,autovacuum_vacuum_scale_factor=0.02"
SERVER = ServerFacts(170_004, False, NOON, "watcher", False, [*ROLES[1:3]], True, 5, HOT)
NAMED = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "autovacuum": "on",
    "track_counts": "on",
    "max_connections": "100",
    "autovacuum_naptime": "15",
    "server_encoding": "UTF8",
    "shared_buffers": "16384",
}


def settings(**changed: str) -> list[ServerSetting]:
    return [ServerSetting(name, value, False) for name, value in (NAMED | changed).items()]


def in_force(**changed: object) -> Settings:
    return Settings(2, *RELEASE, NOON, None, False)._replace(**changed)


SOUND = Examined(
    server=SERVER,
    settings=settings(),
    applied=["0001_a.sql", "0002_b.sql"],
    known=["0001_a.sql", "0002_b.sql"],
    in_force=in_force(),
    own=RELEASE,
    pins={"croniter": ("7.0.0", "7.0.0")},
    differences=[],
    direct=True,
    apart=timedelta(0),
)


def told(page: Page) -> dict[str, str]:
    """The worst word of each subject."""
    order = ("good", "advice", "bad")
    found: dict[str, str] = {}
    for one in page.findings:
        assert one.says
        assert (one.word == "bad") <= bool(one.do), one
        found[one.subject] = max(found.get(one.subject, "good"), one.word, key=order.index)
    return found


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own server keeps nothing on disk, which the doctor rightly says; here it does not look."""
    monkeypatch.setattr("sweeper.findings._KEPT", {})


@pytest.mark.usefixtures("kept")
def test_a_sound_database_has_nothing_that_must_be_changed(dsn: str) -> None:
    with connect(dsn) as connection:
        page = examine(connection)
    words = told(page)
    # The tests' own login is a superuser.
    assert page.well, page
    assert {subject for subject, word in words.items() if word != "good"} <= {"roles", "sessions", "settings"}
    assert list(words) == [
        "server",
        "settings",
        "migrations",
        "release",
        "guards",
        "packages",
        "roles",
        "sessions",
        "pooler",
        "clocks",
        "autovacuum",
    ]


def test_a_server_that_may_forget_is_told_so(dsn: str) -> None:
    """As the tests' own is set up, for speed: a start that was handed over could be forgotten."""
    with connect(dsn) as connection:
        page = examine(connection)
    assert {one.says.split()[0] for one in page.findings if one.word == "bad"} == {
        "fsync",
        "full_page_writes",
        "synchronous_commit",
    }


def test_what_was_changed_behind_the_ledgers_back_is_found(dsn: str) -> None:
    book = Book(dsn)
    book.script("DROP INDEX ledger.one_open; ALTER TABLE ledger.occurrence SET (autovacuum_enabled = false)")
    page = examine(book.connection)
    book.close()
    words = told(page)
    assert not page.well
    assert (words["guards"], words["autovacuum"]) == ("bad", "bad")
    assert any("one_open" in one.says for one in page.findings)


@pytest.fixture
def bare(databases: Databases) -> Iterator[str]:
    """A database without the schema."""
    name = databases.empty()
    yield databases.dsn(name)
    databases.drop(name)


def test_a_database_that_was_never_migrated_is_told_so(bare: str) -> None:
    with connect(bare) as connection:
        (only,) = examine(connection).findings
    assert (only.subject, only.word) == ("migrations", "bad")
    assert "ledger migrate" in only.do


async def test_a_pooler_is_seen(dsn: str) -> None:
    async with pooled(dsn) as through:

        def look() -> Page:
            with connect(through) as connection:
                return examine(connection)

        page = await asyncio.to_thread(look)
    assert told(page)["pooler"] == "advice"


@pytest.mark.parametrize(
    ("seen", "subject", "word"),
    [
        (SOUND._replace(server=SERVER._replace(version=140_011)), "server", "bad"),
        (SOUND._replace(server=SERVER._replace(version=190_000)), "server", "advice"),
        (SOUND._replace(server=SERVER._replace(standby=True)), "server", "bad"),
        (SOUND._replace(settings=settings(fsync="off")), "settings", "bad"),
        (SOUND._replace(settings=settings(synchronous_commit="off")), "settings", "bad"),
        (SOUND._replace(settings=settings(server_encoding="SQL_ASCII")), "settings", "bad"),
        (SOUND._replace(settings=settings(autovacuum_naptime="600")), "settings", "advice"),
        (SOUND._replace(server=SERVER._replace(connections=81)), "settings", "advice"),
        (SOUND._replace(settings=[ServerSetting("fsync", "on", True), *settings()]), "settings", "advice"),
        (SOUND._replace(applied=["0001_a.sql"]), "migrations", "bad"),
        (SOUND._replace(applied=[*SOUND.known, "0099_later.sql"]), "migrations", "bad"),
        (SOUND._replace(in_force=None), "release", "bad"),
        (SOUND._replace(in_force=in_force(dialect=99)), "release", "bad"),
        (SOUND._replace(in_force=in_force(tzdata="2020.1")), "release", "bad"),
        (SOUND._replace(in_force=in_force(tzdata="2999.1")), "release", "bad"),
        (SOUND._replace(in_force=in_force(zones_from="2020.1")), "release", "advice"),
        (SOUND._replace(differences=["missing: index one_open"]), "guards", "bad"),
        (SOUND._replace(pins={"croniter": ("6.0.0", "7.0.0")}), "packages", "bad"),
        (SOUND._replace(server=SERVER._replace(superuser=True)), "roles", "advice"),
        (
            SOUND._replace(server=SERVER._replace(may_be=["ledger_tenant", "ledger_sweeper"])),
            "roles",
            "advice",
        ),
        (SOUND._replace(server=SERVER._replace(sees_sessions=False)), "sessions", "advice"),
        (SOUND._replace(direct=False), "pooler", "advice"),
        (SOUND._replace(apart=timedelta(seconds=2)), "clocks", "advice"),
        (SOUND._replace(apart=timedelta(seconds=6)), "clocks", "bad"),
        (SOUND._replace(server=SERVER._replace(hot_table=None)), "autovacuum", "advice"),
    ],
)
def test_each_subject_turns_alone(seen: Examined, subject: str, word: str) -> None:
    assert set(told(Page(judge(SOUND))).values()) == {"good"}
    page = Page(judge(seen))
    assert {name: word for name, word in told(page).items() if word != "good"} == {subject: word}
    assert page.well == (word != "bad")


def test_the_pins_are_those_that_the_package_declares() -> None:
    found = pins()
    assert found.keys() == {"croniter", "python-dateutil", "tzdata"}
    assert all(installed == pinned for installed, pinned in found.values())


@pytest.mark.usefixtures("kept")
def test_the_command_tells_it_as_text_as_json_and_by_its_exit_code(dsn: str, bare: str) -> None:
    shell = Shell(dsn)
    assert "all" in shell.does("doctor").out
    page = shell.does("doctor", "--json").json
    assert page["well"] is True
    assert "good" in str(page["findings"])
    # What stood before it stands beside it.
    assert shell.does("doctor", "zones", "--json").json["rows"] == []
    assert "after `zones`" in shell.refuses("doctor", "--json", "zones", code=2)
    assert Shell(bare)("doctor").code == 1
    assert "cannot be reached" in Shell("postgresql://127.0.0.1:1/none").refuses("doctor", code=3)
