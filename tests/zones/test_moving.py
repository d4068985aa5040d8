"""The move of the rules as a whole: the settings, pages, what stops it, what it passes by (I12, I15, I20)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from ledger import Ledger
from ledger.driver.transaction import Limits, Scope
from ledger.errors import Busy, Misconfigured, OtherRelease
from ledger.release import RELEASE, newer
from projector import rules
from projector.rules import foresee, move_forward, set_utc_only
from projector.slots.zones import zone
from sweeper.health import health
from tests.commanding import Shell
from tests.sweeper.book import Book, all_well, only
from tests.sweeper.test_zones import GONE, OTHER, put_elsewhere, vanish

OPEN = "SELECT key FROM ledger.occurrence WHERE state = 'pending'"


def older(book: Book) -> None:
    book.sql("UPDATE ledger.settings SET tzdata = %s", OTHER)


def in_force(book: Book) -> tuple[object, ...]:
    (row,) = book.sql("SELECT tzdata, zones_from FROM ledger.settings")
    return row


@pytest.mark.parametrize(
    ("one", "other"), [("2026.6", "2025.2"), ("2025.10", "2025.9"), ("2021.2.post0", "2021.2")]
)
def test_releases_have_an_order(one: str, other: str) -> None:
    assert newer(one, other)
    assert not newer(other, one)
    assert not newer(one, one)


def test_a_move_that_was_stopped_is_gone_on_with_page_by_page(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "PAGE", 2)
    monkeypatch.setattr(rules, "BATCH", 1)
    tasks = [f"t{n}" for n in range(5)]
    keys = {task: put_elsewhere(book, task) for task in tasks}
    for task in tasks[3:]:
        for table in ("task", "act", "occurrence"):
            book.sql(f"UPDATE ledger.{table} SET tenant = 'b' WHERE task = %s", task)  # noqa: S608
    book.sql(
        "INSERT INTO ledger.definition SELECT 'b', digest, version, canonical, at, by FROM ledger.definition"
    )
    older(book)

    class Stopped(Exception):
        """As a process that is killed after its first tenant."""

    def stop(done: int, of: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        move_forward(book.connection, "a person", stop)
    assert in_force(book) == (RELEASE.tzdata, OTHER)
    assert book.one("SELECT count(*) FROM ledger.act WHERE what = 'zones'") == 3
    (sign,) = [one for one in health(book.connection).signs if one.name == "zone rules"]
    assert (sign.word, OTHER in sign.says) == ("note", True)

    told: list[tuple[int, int]] = []
    done = move_forward(book.connection, "a person", lambda *how: told.append(how))
    assert (done.moved_from, done.moved, done.left, done.failed) == (OTHER, 2, [], [])
    assert told == [(1, 1)]
    assert in_force(book) == (RELEASE.tzdata, None)
    mine = [right for right, _ in list(keys.values())[:3]]
    assert book.sql(f"{OPEN} AND tenant = 'acme' ORDER BY task") == [(key,) for key in mine]
    assert book.one("SELECT count(*) FROM ledger.act WHERE what = 'zones'") == 5


def test_what_a_stopped_move_left_the_sweep_mends(book: Book) -> None:
    right, _ = put_elsewhere(book, "a")
    book.define("b")
    book.sql("UPDATE ledger.settings SET zones_from = %s", OTHER)
    assert only(book.sweep()) == {"zone rules": 1}
    assert book.open_keys("a") == [right]
    assert move_forward(book.connection, "a person").moved == 0
    assert in_force(book) == (RELEASE.tzdata, None)
    all_well(book.sweep())


def test_who_has_read_the_settings_is_waited_for(
    book: Book, dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever found the old release in force has committed before the new one is."""
    monkeypatch.setattr(rules, "_TRIES", 2)
    monkeypatch.setattr(rules, "_SETTINGS", Scope("owner", None, Limits(lock_ms=50)))
    task = {"entrypoint": "x", "schedule": {"cron": "0 9 * * *", "timezone": "Europe/Paris"}}
    with Ledger(dsn) as ledger, psycopg.connect(dsn) as caller:
        ledger.tenant("acme").on(caller).define("a", task)
        with pytest.raises(Busy, match="stays open"):
            set_utc_only(book.connection, on=True)
        older(book)
        with pytest.raises(Busy, match="stays open"):
            move_forward(book.connection, "a person")
        assert in_force(book) == (OTHER, None)
        caller.commit()
        assert move_forward(book.connection, "a person").moved_from == OTHER


def test_a_task_that_cannot_be_moved_keeps_no_other_from_it(book: Book) -> None:
    vanish(book, "gone", datetime.now(UTC) + timedelta(hours=3))
    right, _ = put_elsewhere(book, "a")
    taken, standing = put_elsewhere(book, "b")
    # The key that its row is to have stands for other facts.
    other = book.copy(
        standing, fingerprint="\\x" + "00" * 32, lane="manual:x", state="cancelled", closed="2020-01-01"
    )
    book.sql("UPDATE ledger.occurrence SET key = %s WHERE key = %s", taken, other)
    older(book)
    said = Shell(book.dsn)("migrate", "zones", "--json")
    assert said.code == 1
    assert said.json["moved"] == 1
    failed = said.json["failed"]
    assert isinstance(failed, list)
    assert [(tenant, task) for tenant, task, _ in failed] == [("acme", "gone"), ("acme", "b")]
    assert GONE in failed[0][2]
    assert "KeyCollision" in failed[1][2]
    assert book.open_keys("a") == [right]
    assert in_force(book) == (RELEASE.tzdata, None)
    assert "'gone'" in str([v.detail for v in book.sweep().verdicts])
    looked = Shell(book.dsn)("doctor", "zones", "--json")
    assert (looked.code, looked.json["in_force"]) == (1, RELEASE.tzdata)


def test_the_rules_never_go_backward(book: Book) -> None:
    book.sql("UPDATE ledger.settings SET tzdata = '9999.1'")
    for look in (lambda: foresee(book.connection), lambda: move_forward(book.connection, "a person")):
        with pytest.raises(OtherRelease, match="never go backward: install tzdata"):
            look()
    assert in_force(book) == ("9999.1", None)


def test_a_database_of_another_schema_is_not_moved(book: Book) -> None:
    book.sql("UPDATE ledger.settings SET tzdata = %s, schema_version = 999", OTHER)
    with pytest.raises(OtherRelease, match="schema_version"):
        move_forward(book.connection, "a person")
    assert in_force(book) == (OTHER, None)


def test_a_release_that_is_replaced_under_a_process_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projector.slots.zones.RELEASE", RELEASE._replace(tzdata=OTHER))
    with pytest.raises(Misconfigured, match=f"{OTHER} was replaced by {RELEASE.tzdata}.*start it again"):
        zone.__wrapped__("Europe/Paris")
