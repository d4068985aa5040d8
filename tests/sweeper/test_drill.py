"""The drill proves that the repair works, leaves no trace, and is never green where it could not (I13)."""

from __future__ import annotations

import psycopg
import pytest

from ledger.driver.connect import connect
from ledger.driver.sync import run
from ledger.driver.transaction import Limits, Scope
from ledger.errors import LedgerError
from ledger.moves.step import Move, ask
from ledger.release import RELEASE
from ledger.statements.sweep import PLANT_CANARY
from sweeper.moves.drill import drill
from tests.sweeper.book import HOURLY, TENANT, Book, all_well

SWALLOW = """
    CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER swallow BEFORE INSERT ON ledger.occurrence FOR EACH ROW EXECUTE FUNCTION swallow();
"""
MEND = "DROP TRIGGER swallow ON ledger.occurrence; DROP FUNCTION swallow()"


def test_it_leaves_no_trace(book: Book) -> None:
    for task in ("a", "b", "c"):
        book.define(task)
    book.define("off")
    book.switch("off", "disable")
    before = book.trace()
    for turn in range(4):
        found = book.run(drill(TENANT, ""), "sweeper", TENANT)
        assert found.word == "passed", turn
        assert found.ms is not None
        assert 0 < found.ms < 10_000
    assert book.trace() == before


def test_it_starts_at_another_task_in_each_pass(book: Book) -> None:
    for task in ("a", "b", "c"):
        book.define(task)
    drilled = [book.sweep().verdicts[0].drill_task for _ in range(5)]
    assert drilled == ["a", "b", "c", "a", "b"]


def test_it_passes_by_what_anybody_holds_and_what_is_soon_due(book: Book) -> None:
    for task in ("a", "b", "c"):
        book.define(task)
    book.sql("UPDATE ledger.occurrence SET run_at = now() + interval '50 seconds' WHERE task = 'b'")
    with psycopg.connect(book.dsn) as other:
        other.execute("SELECT FROM ledger.task WHERE task = 'a' FOR NO KEY UPDATE")
        assert book.run(drill(TENANT, ""), "sweeper", TENANT).task == "c"
        other.execute("SELECT FROM ledger.occurrence WHERE task = 'c' FOR UPDATE")
        found = book.run(drill(TENANT, ""), "sweeper", TENANT)
        other.rollback()
    assert (found.word, found.task) == ("passed", None)


def test_without_a_free_row_a_canary_stands_in(book: Book) -> None:
    book.define("a", HOURLY)
    book.running("a")
    book.sql("UPDATE ledger.occurrence SET run_at = now() WHERE state = 'pending'")
    before = book.trace()
    report = book.sweep()
    all_well(report)
    assert report.verdicts[0].drill_task is None
    assert book.trace() == before


def test_a_pass_that_finds_nobody_drills_all_the_same(book: Book) -> None:
    report = book.sweep()
    all_well(report)
    assert (report.expected, report.drills["passed"]) == (0, 1)


@pytest.mark.parametrize("tasks", [("a", "b"), ("off",)])
def test_a_trigger_that_swallows_inserts_fails_the_tenant(book: Book, tasks: tuple[str, ...]) -> None:
    for task in ("a", "b"):
        book.define(task, tenant="acme" if task in tasks else "beta")
    book.sql("UPDATE ledger.occurrence SET run_at = now() WHERE tenant = 'beta'")
    all_well(book.sweep())
    book.script(SWALLOW)
    report = book.sweep()
    assert not report.green
    assert report.count("failed") == report.expected
    for verdict in report.verdicts:
        assert (verdict.word, verdict.cause, verdict.drill) == ("failed", "drill", "failed")
        assert "its key was taken and has gone meanwhile" in str(verdict.detail)
    assert any("trigger CREATE TRIGGER swallow" in fault for fault in report.faults)
    book.script(MEND)
    all_well(book.sweep())


def test_a_privilege_taken_away_fails_the_tenant(book: Book) -> None:
    book.define("a")
    book.sql("REVOKE INSERT ON ledger.occurrence FROM ledger_sweeper")
    report = book.sweep()
    (verdict,) = report.verdicts
    assert (verdict.word, verdict.cause, verdict.drill) == ("failed", "drill", "failed")
    assert "permission denied" in str(verdict.detail)
    assert report.faults == ["missing: ledger_sweeper may INSERT table occurrence"]
    book.sql("GRANT INSERT ON ledger.occurrence TO ledger_sweeper")
    all_well(book.sweep())


def test_a_repair_that_derives_another_row_fails_the_tenant(book: Book) -> None:
    """The row that stands is not the one that its reference derives."""
    book.define("a", HOURLY)
    book.sql("UPDATE ledger.act SET resume_after = resume_after + interval '1 day'")
    (verdict,) = book.sweep().verdicts
    assert (verdict.word, verdict.cause) == ("failed", "drill")
    assert "was taken away" in str(verdict.detail)


def test_could_not_try_is_said_and_fails_the_tenant_the_second_time_in_a_row(book: Book) -> None:
    book.define("a")
    all_well(book.sweep())
    book.sql("REVOKE DELETE ON ledger.occurrence FROM ledger_sweeper")
    seen = []
    for _ in range(3):
        report = book.sweep()
        assert not report.green
        (verdict,) = report.verdicts
        seen.append((verdict.word, verdict.cause, verdict.drill, verdict.untried))
    assert seen == [
        ("healthy", None, "could not try", 1),
        ("failed", "untried", "could not try", 2),
        ("failed", "untried", "could not try", 3),
    ]
    book.sql("GRANT DELETE ON ledger.occurrence TO ledger_sweeper")
    all_well(book.sweep())


def _planted() -> Move[None]:
    yield from ask(
        PLANT_CANARY(tenant=TENANT, digest=b"\0" * 32, version=RELEASE.digest_version, canonical="{}")
    )


def test_no_transaction_commits_a_canary(book: Book) -> None:
    """The one way around the wall that tasks stand behind leads nowhere (I5)."""
    before = book.trace()
    with pytest.raises(LedgerError, match="the canary of tenant acme was not rolled back"):
        book.run(_planted(), "sweeper", TENANT)
    assert book.trace() == before
    for role in ("dispatcher", "tenant", "reader"):
        with connect(book.dsn) as connection, pytest.raises(LedgerError, match="permission denied"):
            run(connection, _planted(), Scope(role, TENANT, Limits()))
