"""A pass accounts for everybody, goes on after any tenant's failure, and is never green where it dies."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import timedelta

import psycopg
import pytest

from ledger.driver.connect import SyncConnection, connect
from ledger.driver.sync import run
from ledger.driver.transaction import Scope
from ledger.errors import Misconfigured, Unreachable, Violation
from ledger.moves.step import ask
from ledger.statements.sweep import CLOSE_PASS
from sweeper.health import HealthReport, health
from sweeper.passes import How, sweep
from sweeper.sign import Sign
from tests.sweeper.book import HOURLY, Book, all_well, only
from tests.sweeper.test_incidents import locked


def sign(report: HealthReport, name: str) -> Sign:
    (found,) = [one for one in report.signs if one.name == name]
    return found


def test_totals_add_up_over_every_word(book: Book) -> None:
    for tenant in ("healthy", "repaired", "locked", "also healthy"):
        book.define("a", tenant=tenant.replace(" ", "-"))
    book.sql("DELETE FROM ledger.occurrence WHERE tenant IN ('repaired', 'locked')")
    with locked(book, "locked"):
        report = book.sweep(lock_ms=20)
    counts = [report.count(word) for word in ("healthy", "repaired", "failed")]
    assert (report.expected, counts) == (4, [2, 1, 1])
    assert book.sql("SELECT expected, healthy, repaired, failed, rows_made FROM ledger.pass") == [
        (4, 2, 1, 1, 1)
    ]
    assert book.one("SELECT count(*) FROM ledger.verdict WHERE pass = %s", report.number) == 4


def test_a_pass_over_the_healthy_waits_for_nobody(book: Book) -> None:
    """Only tasks that need repair are locked: whoever holds the others is not asked to let go."""
    book.define("a")
    book.define("runs", HOURLY)
    book.running("runs")
    with locked(book, "acme"):
        report = book.sweep(lock_ms=20)
    all_well(report)
    assert report.verdicts[0].drill_task is None


def test_totals_that_do_not_add_up_are_refused(book: Book) -> None:
    opened = book.one(
        "INSERT INTO ledger.pass (began, by, period_s, report) VALUES (now(), 'x', 900, '{}') RETURNING id"
    )
    closing = CLOSE_PASS(id=opened, expected=3, healthy=1, repaired=1, failed=0, rows_made=0, report="{}")
    with pytest.raises(Violation, match="pass_adds_up"):
        run(book.connection, ask(closing), Scope("sweeper"))


def test_words_are_logged_when_they_change_or_are_not_healthy(book: Book) -> None:
    book.define("a")
    for _ in range(3):
        all_well(book.sweep())
    (since,) = book.sql("SELECT since FROM ledger.verdict")
    book.sql("DELETE FROM ledger.occurrence")
    assert only(book.sweep()) == {"missing": 1}
    with locked(book, "acme"):
        book.sql("DELETE FROM ledger.occurrence")
        for _ in range(2):
            assert book.sweep(lock_ms=20).count("failed") == 1
    assert [word for (word,) in book.sql("SELECT word FROM ledger.verdict_log ORDER BY id")] == [
        "healthy",
        "repaired",
        "failed",
        "failed",
    ]
    assert book.sql("SELECT since FROM ledger.verdict") > [since]


_DIES = """
import os, sys
from ledger.driver.connect import connect
from sweeper.passes import sweep
sweep(connect(sys.argv[1]), told=lambda done, of: done == 1 and os.kill(os.getpid(), 9))
"""


def test_a_pass_that_dies_midway_is_never_green(book: Book) -> None:
    for tenant in ("acme", "beta", "gamma"):
        book.define("a", tenant=tenant)
    all_well(book.sweep())
    assert health(book.connection).healthy
    died = subprocess.run([sys.executable, "-c", _DIES, book.dsn], check=False, timeout=60)
    assert died.returncode == -9
    assert book.sql("SELECT closed, expected FROM ledger.pass ORDER BY id DESC LIMIT 1") == [(None, None)]
    report = health(book.connection)
    assert not report.healthy
    assert sign(report, "unclosed passes").word == "bad"
    all_well(book.sweep())
    assert health(book.connection).healthy


def test_a_pass_under_way_is_not_taken_for_dead_before_its_period_is_over(book: Book) -> None:
    book.define("a")
    all_well(book.sweep())
    book.sql(
        "INSERT INTO ledger.pass (began, by, period_s, report)"
        " VALUES (now(), 'a test', 900, jsonb_build_object('session', pg_backend_pid()))"
    )
    with connect(book.dsn) as other:
        assert sign(health(other), "unclosed passes").word == "good"
        book.sql("UPDATE ledger.pass SET began = now() - interval '901 s' WHERE closed IS NULL")
        assert sign(health(other), "unclosed passes").word == "bad"


def test_a_lost_connection_costs_one_tenant_where_another_can_be_opened(book: Book) -> None:
    for tenant in ("acme", "beta", "gamma"):
        book.define("a", tenant=tenant)
    opened: list[SyncConnection] = []

    def reopen() -> SyncConnection:
        opened.append(connect(book.dsn))
        return opened[-1]

    def told(done: int, of: int) -> None:
        if done == 1:
            book.sql("SELECT pg_terminate_backend(%s)", opened[0].info.backend_pid)

    report = sweep(reopen(), reopen=reopen, told=told)
    words = {v.tenant: (v.word, v.cause) for v in report.verdicts}
    assert words == {
        "acme": ("healthy", None),
        "beta": ("failed", "connection"),
        "gamma": ("healthy", None),
    }
    assert book.one("SELECT closed IS NOT NULL FROM ledger.pass") is True
    all_well(sweep(opened[-1], reopen=reopen))
    book.sql("SELECT pg_terminate_backend(%s)", opened[-1].info.backend_pid)
    with pytest.raises(Unreachable):
        sweep(opened[-1])
    for connection in opened:
        connection.close()


def test_a_tenant_that_sees_fewer_tasks_than_the_survey_is_failed(book: Book) -> None:
    """A policy hides a task from whoever names its tenant; nothing is missing from what such a look sees."""
    book.define("a")
    book.define("hidden")
    book.define("a", tenant="beta")
    all_well(book.sweep())
    book.sql(
        "CREATE POLICY hide ON ledger.task AS RESTRICTIVE FOR SELECT TO ledger_sweeper"
        " USING (task <> 'hidden' OR coalesce(current_setting('ledger.tenant', true), '') = '')"
    )
    book.sql("DELETE FROM ledger.occurrence WHERE task = 'hidden'")
    report = book.sweep()
    words = {v.tenant: (v.word, v.cause) for v in report.verdicts}
    assert words == {"acme": ("failed", "fewer tasks"), "beta": ("healthy", None)}
    assert [fault for fault in report.faults if "policy hide" in fault]
    book.sql("DROP POLICY hide ON ledger.task")
    assert only(book.sweep()) == {"missing": 1}
    all_well(book.sweep())


def test_tasks_turned_off_since_the_survey_are_no_failure(book: Book) -> None:
    for tenant in ("acme", "beta"):
        for task in ("a", "b"):
            book.define(task, tenant=tenant)
    other = Book(book.dsn)

    def told(done: int, of: int) -> None:
        if done == 1:
            other.switch("a", "disable", "beta")

    report = sweep(book.connection, told=told)
    other.close()
    all_well(report)
    assert [(v.tenant, v.checked) for v in report.verdicts] == [("acme", 2), ("beta", 1)]


def test_one_tenant_alone_is_no_pass_over_all(book: Book) -> None:
    for tenant in ("acme", "beta"):
        book.define("a", tenant=tenant)
    book.sql("DELETE FROM ledger.occurrence")
    report = book.sweep(tenant="beta")
    assert only(report, "beta") == {"missing": 1}
    assert report.expected == 1
    assert book.open_keys("a") == []
    assert sign(health(book.connection), "sweep").word == "bad"


def test_a_tenant_that_failed_is_looked_at_again_though_it_has_nothing_left(book: Book) -> None:
    book.define("a")
    book.define("b", tenant="beta")
    book.sql("DELETE FROM ledger.occurrence WHERE tenant = 'acme'")
    with locked(book, "acme"):
        assert book.sweep(lock_ms=20).count("failed") == 1
    book.switch("a", "delete")
    report = book.sweep()
    all_well(report)
    assert report.expected == 2
    assert book.sweep().expected == 1


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("DROP INDEX ledger.one_open", "missing: index CREATE UNIQUE INDEX one_open"),
        (
            "ALTER TABLE ledger.occurrence DROP CONSTRAINT occurrence_state",
            "missing: constraint occurrence_state",
        ),
        ("ALTER TABLE ledger.task DISABLE ROW LEVEL SECURITY", "unexpected: table task row security off"),
        (
            "ALTER TABLE ledger.task DISABLE TRIGGER canary_never_stays",
            "unexpected: trigger CREATE CONSTRAINT",
        ),
        (
            "GRANT INSERT ON ledger.task TO ledger_dispatcher",
            "unexpected: ledger_dispatcher may INSERT table task",
        ),
        ("GRANT SELECT ON ledger.task TO PUBLIC", "unexpected: everybody may SELECT table task"),
        ("DROP POLICY own ON ledger.occurrence", "missing: policy own on occurrence"),
        ("CREATE INDEX extra ON ledger.occurrence (agent)", "unexpected: index CREATE INDEX extra"),
        ("ALTER TABLE ledger.task ADD COLUMN next_run timestamptz", "unexpected: column task.next_run"),
    ],
)
def test_guards_that_differ_from_what_the_migrations_made_fail_the_pass(
    book: Book, broken: str, said: str
) -> None:
    book.define("a")
    all_well(book.sweep())
    book.sql(broken)
    report = book.sweep()
    assert not report.green
    assert any(fault.startswith(said) for fault in report.faults), report.faults
    assert report.count("healthy") == 1
    found = health(book.connection)
    assert not found.healthy
    assert sign(found, "guards").word == "bad"


def test_clocks_apart_fail_the_pass(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    book.define("a")
    near = _clock_off_by(timedelta(seconds=4.5))
    monkeypatch.setattr("sweeper.passes.time", near)
    all_well(book.sweep())
    monkeypatch.setattr("sweeper.passes.time", _clock_off_by(timedelta(hours=-2)))
    report = book.sweep()
    assert not report.green
    assert [fault for fault in report.faults if fault.startswith("clocks:")] == report.faults
    assert "7200." in report.faults[0] or "7199." in report.faults[0]


def test_a_database_of_another_release_is_not_swept(book: Book) -> None:
    book.define("a")
    book.sql("DELETE FROM ledger.occurrence")
    book.sql("UPDATE ledger.settings SET schema_version = schema_version + 1")
    with pytest.raises(Misconfigured, match="schema_version"):
        book.sweep()
    with pytest.raises(Misconfigured, match="schema_version"):
        health(book.connection)
    assert book.open_keys("a") == []
    assert book.sql("SELECT FROM ledger.pass") == []


def test_a_second_sweep_beside_the_first_changes_nothing(book: Book) -> None:
    book.define("a")
    other = Book(book.dsn)
    seen = []

    def told(done: int, of: int) -> None:
        seen.append(other.sweep())

    all_well(sweep(book.connection, How(), told=told))
    other.close()
    all_well(seen[0])
    with psycopg.connect(book.dsn) as connection:
        assert connection.execute("SELECT count(*) FROM ledger.pass WHERE closed IS NOT NULL").fetchone() == (
            2,
        )


class _Clock:
    def __init__(self, off_s: float) -> None:
        self._off_s = off_s

    def time(self) -> float:
        return time.time() + self._off_s


def _clock_off_by(off: timedelta) -> _Clock:
    return _Clock(off.total_seconds())
