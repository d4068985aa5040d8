"""Several connections side by side; one bad row, lock or tenant keeps nobody else unrepaired (I12, I13)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from ledger.driver.connect import SyncConnection, connect
from ledger.driver.transaction import Limits
from ledger.errors import BadInput, OtherRelease, Unreachable
from sweeper.passes import How, sweep
from tests.sweeper.book import Book, all_well, only
from tests.sweeper.test_incidents import locked

TENANTS = [f"t{n}" for n in range(9)]
QUICK = Limits(lock_ms=50, statement_ms=20_000, idle_ms=20_000)
# An instant that Postgres knows and no timestamp of Python's can be.
BEYOND = "UPDATE ledger.occurrence SET due = 'infinity' WHERE task = %s"


class Opening:
    """Opens connections, and keeps them for the test to look at."""

    def __init__(self, dsn: str, most: int = 9) -> None:
        self.dsn = dsn
        self.most = most
        self.opened: list[SyncConnection] = []

    def __call__(self) -> SyncConnection:
        if len(self.opened) == self.most:
            raise Unreachable("too many clients already")
        self.opened.append(connect(self.dsn))
        return self.opened[-1]


@contextmanager
def held(book: Book, lock: str) -> Iterator[None]:
    """Somebody holds some rows and does not let go."""
    with psycopg.connect(book.dsn) as stuck:
        stuck.execute(lock.encode())
        yield
        stuck.rollback()


def test_several_connections_serve_the_tenants_and_all_are_accounted_for(book: Book) -> None:
    for tenant in TENANTS:
        book.define("a", tenant=tenant)
    book.sql("DELETE FROM ledger.occurrence WHERE tenant IN ('t3', 't7')")
    opening = Opening(book.dsn)
    heard: list[tuple[int, int]] = []
    with locked(book, "t3"):
        report = sweep(
            book.connection,
            How(jobs=4, limits=QUICK),
            reopen=opening,
            told=lambda done, of: heard.append((done, of)),
        )
    assert len(opening.opened) == 3
    assert all(one.closed for one in opening.opened)
    assert heard == [(n, 9) for n in range(1, 10)]
    assert [v.tenant for v in report.verdicts] == TENANTS
    words = {v.tenant: (v.word, v.cause) for v in report.verdicts if not v.green}
    assert words == {"t3": ("failed", "lock"), "t7": ("repaired", None)}
    assert book.sql("SELECT expected, healthy, repaired, failed FROM ledger.pass") == [(9, 7, 1, 1)]
    assert only(sweep(book.connection, How(jobs=4), reopen=opening), "t3") == {"missing": 1}
    all_well(sweep(book.connection, How(jobs=64), reopen=Opening(book.dsn, 2)))


def test_fewer_connections_than_asked_for_are_said_and_do(book: Book) -> None:
    for tenant in TENANTS:
        book.define("a", tenant=tenant)
    report = sweep(book.connection, How(jobs=4), reopen=Opening(book.dsn, 1))
    all_well(report)
    assert report.notes == ["2 of 4 connections could be opened: too many clients already"]
    with pytest.raises(BadInput, match="4 jobs"):
        sweep(book.connection, How(jobs=4))


def test_what_ends_a_pass_ends_it_on_every_connection(book: Book) -> None:
    for tenant in TENANTS:
        book.define("a", tenant=tenant)
    book.sql("DELETE FROM ledger.occurrence")
    other = Book(book.dsn)
    opening = Opening(book.dsn)

    def told(done: int, of: int) -> None:
        other.sql("UPDATE ledger.settings SET tzdata = '9999.1'")

    with pytest.raises(OtherRelease, match=r"9999\.1 in force"):
        sweep(book.connection, How(jobs=3), reopen=opening, told=told)
    other.close()
    assert all(one.closed for one in opening.opened)
    assert book.sql("SELECT closed FROM ledger.pass") == [(None,)]


def test_whom_a_pass_that_died_did_not_reach_comes_first(book: Book) -> None:
    for tenant in TENANTS[:4]:
        book.define("a", tenant=tenant)
    all_well(book.sweep())

    def dies(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(book.connection, told=dies)
    assert [v.tenant for v in book.sweep().verdicts] == ["t2", "t3", "t0", "t1"]
    assert [v.tenant for v in book.sweep().verdicts] == ["t0", "t1", "t2", "t3"]


def test_a_task_that_somebody_holds_keeps_no_other_unrepaired(book: Book) -> None:
    book.define_many([f"task-{n}" for n in range(9)])
    book.sql("DELETE FROM ledger.occurrence")
    with held(book, "SELECT FROM ledger.task WHERE task = 'task-4' FOR UPDATE"):
        (verdict,) = book.sweep(lock_ms=50).verdicts
    assert (verdict.word, verdict.cause, verdict.repairs) == ("failed", "lock", {"missing": 8})
    assert "1 tasks could not be mended: task 'task-4'" in str(verdict.detail)
    assert (verdict.checked, verdict.open, verdict.drill) == (9, 8, "passed")
    assert only(book.sweep()) == {"missing": 1}
    all_well(book.sweep())


def test_a_row_that_somebody_holds_keeps_no_other_unrepaired(book: Book) -> None:
    tasks = [f"task-{n}" for n in range(4)]
    book.define_many(tasks)
    book.sql("UPDATE ledger.occurrence SET agent = 'other'")
    with held(book, "SELECT FROM ledger.occurrence WHERE task = 'task-2' FOR UPDATE"):
        (verdict,) = book.sweep(lock_ms=50).verdicts
    assert (verdict.word, verdict.cause, verdict.repairs) == ("failed", "lock", {"misnamed": 3})
    assert "task 'task-2'" in str(verdict.detail)
    assert only(book.sweep()) == {"misnamed": 1}
    all_well(book.sweep())


def test_a_row_that_nobody_can_even_read_keeps_no_other_unrepaired(book: Book) -> None:
    book.define_many([f"task-{n}" for n in range(9)])
    book.define("a", tenant="beta")
    book.sql("DELETE FROM ledger.occurrence WHERE task IN ('task-2', 'task-6')")
    right = book.sql("SELECT due FROM ledger.occurrence WHERE task = 'task-4'")
    book.sql(BEYOND, "task-4")
    mine, theirs = book.sweep().verdicts
    assert theirs.green
    assert (mine.word, mine.cause, mine.repairs) == ("failed", "repair", {"missing": 2})
    assert "1 tasks could not be mended: task 'task-4'" in str(mine.detail)
    assert (mine.checked, mine.open, mine.drill) == (9, 8, "passed")
    again = book.sweep().verdicts[0]
    assert (again.word, again.cause, again.repairs, again.drill) == ("failed", "repair", {}, "passed")
    book.sql("UPDATE ledger.occurrence SET due = %s WHERE task = 'task-4'", *right[0])
    all_well(book.sweep())


def test_the_log_of_verdicts_is_bounded(book: Book) -> None:
    book.define("a")
    book.sql(
        "INSERT INTO ledger.verdict_log (tenant, pass, at, word, repairs, drill) SELECT 'acme', 0,"
        " now() - make_interval(days => n), 'failed', '{}', 'passed' FROM generate_series(200, 0, -1) n"
    )
    book.sql(
        "INSERT INTO ledger.pass (began, closed, by, period_s, expected, healthy, repaired, failed, report)"
        " SELECT d, d, 'x', 900, 0, 0, 0, 0, '{}'"
        " FROM generate_series(now() - interval '500 days', now(), interval '50 days') d"
    )
    all_well(book.sweep())
    assert book.one("SELECT count(*) FROM ledger.verdict_log WHERE pass = 0") == 90
    assert book.one("SELECT min(began) > now() - interval '400 days 1 hour' FROM ledger.pass") is True
    assert book.one("SELECT count(*) FROM ledger.pass WHERE by = 'x'") == 8
