"""Twelve ways to break the repair, on a real server: green before, red within one pass, green after mending.

Red means that a tenant's verdict, a fault or the open pass names what was broken (I13, I14). A thirteenth
run, without sabotage, stays green.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest

from ledger.driver.transaction import Limits
from projector.slots import definition as schedules
from projector.slots import zones
from sweeper.health import health
from sweeper.moves.tenant import Verdict
from sweeper.passes import LIMITS, How, sweep
from sweeper.report import PassReport
from tests.servers.databases import Databases
from tests.servers.programs import NotAtHand
from tests.sweeper.book import Book, all_well
from tests.sweeper.small_disk import SPACE, SmallDisk, server_with_small_disk
from tests.sweeper.test_drill import MEND, SWALLOW
from tests.sweeper.test_incidents import locked
from tests.sweeper.test_passes import _DIES, _clock_off_by, sign

# What nobody has to do with: its verdict must be green whatever befalls acme.
OTHER = "beta"
MANY = [f"task-{n}" for n in range(400)]


@pytest.fixture(scope="module")
def small_disk(request: pytest.FixtureRequest) -> Iterator[SmallDisk]:
    try:
        with server_with_small_disk(request.config.getoption("--pg")) as server:
            yield server
    except NotAtHand as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def own(small_disk: SmallDisk) -> Databases:
    return Databases(small_disk.cluster)


@pytest.fixture
def book(own: Databases) -> Iterator[Book]:
    """Two tenants on the file's own server, swept and green."""
    name = own.clone()
    made = Book(own.dsn(name))
    for tenant in ("acme", OTHER):
        for task in ("a", "b"):
            made.define(task, tenant=tenant)
    all_well(made.sweep())
    yield made
    made.close()
    own.drop(name)


def hole(book: Book) -> None:
    book.sql("DELETE FROM ledger.occurrence WHERE tenant = 'acme' AND task = 'a'")


def failed(report: PassReport, cause: str, *, alone: bool = True) -> Verdict:
    """The verdict on acme, which names the cause; the pass is red, and the other tenant's own is green."""
    assert not report.green
    mine, theirs = report.verdicts
    assert (mine.word, mine.cause) == ("failed", cause), mine
    assert theirs.green is alone, theirs
    return mine


def faulty(report: PassReport, said: str) -> None:
    assert not report.green
    assert [fault for fault in report.faults if fault.startswith(said)], report.faults


def healed(book: Book, *, repairs: dict[str, int] | None = None) -> None:
    """After mending: what was missing is there within one pass, and the next one is green."""
    if repairs is not None:
        report = book.sweep()
        assert (report.count("failed"), dict(report.repairs)) == (0, repairs), report.as_json()
    all_well(book.sweep())


def test_1_a_lock_that_somebody_holds(book: Book) -> None:
    hole(book)
    with locked(book, "acme"):
        assert "lock timeout" in str(failed(book.sweep(lock_ms=50), "lock").detail)
    healed(book, repairs={"missing": 1})


def test_2_a_transaction_that_is_dead_when_it_commits(book: Book) -> None:
    hole(book)
    book.script(
        "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'dead at the end'; END $$;"
        "CREATE CONSTRAINT TRIGGER die AFTER INSERT ON ledger.occurrence DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION die()"
    )
    assert "dead at the end" in str(failed(book.sweep(), "error").detail)
    book.script("DROP TRIGGER die ON ledger.occurrence; DROP FUNCTION die()")
    healed(book, repairs={"missing": 1})


def test_3_a_privilege_that_was_taken_away(book: Book) -> None:
    book.sql("REVOKE INSERT ON ledger.occurrence FROM ledger_sweeper")
    report = book.sweep()
    assert "permission denied" in str(failed(report, "drill", alone=False).detail)
    faulty(report, "missing: ledger_sweeper may INSERT table occurrence")
    book.sql("GRANT INSERT ON ledger.occurrence TO ledger_sweeper")
    healed(book)


def test_4_an_index_that_was_dropped(book: Book) -> None:
    ((made,),) = book.sql("SELECT indexdef FROM pg_indexes WHERE indexname = 'one_open'")
    book.sql("DROP INDEX ledger.one_open")
    faulty(book.sweep(), "missing: index CREATE UNIQUE INDEX one_open")
    book.sql(str(made))
    healed(book)


def test_5_a_digest_of_no_definition(book: Book) -> None:
    ((right,),) = book.sql("SELECT digest FROM ledger.task WHERE tenant = 'acme' AND task = 'a'")
    change = "UPDATE ledger.task SET digest = %s WHERE tenant = 'acme' AND task = 'a'"
    book.sql(change, b"\0" * 32)
    said = str(failed(book.sweep(), "repair").detail)
    assert f"reading definition {'00' * 32}: the ledger does not hold it" in said
    book.sql(change, right)
    healed(book)


def test_6_a_statement_that_is_out_of_time(book: Book) -> None:
    book.script(
        "CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN PERFORM pg_sleep(30); RETURN NEW; END $$;"
        "CREATE TRIGGER linger BEFORE INSERT ON ledger.occurrence FOR EACH ROW"
        " WHEN (NEW.tenant = 'acme') EXECUTE FUNCTION linger()"
    )
    report = sweep(book.connection, How(limits=Limits(LIMITS.lock_ms, 1_000, LIMITS.idle_ms)))
    assert "statement timeout" in str(failed(report, "time").detail)
    book.script("DROP TRIGGER linger ON ledger.occurrence; DROP FUNCTION linger()")
    healed(book)


def test_7_a_disk_that_is_full(book: Book, small_disk: SmallDisk) -> None:
    if not small_disk.there:
        pytest.skip("this system lets nobody mount a tmpfs in a namespace of their own")
    book.define_many(MANY)
    book.sql("TRUNCATE ledger.occurrence")
    book.sql(f"ALTER TABLE ledger.occurrence SET TABLESPACE {SPACE}")
    assert book.sweep().repairs == {"missing": len(MANY) + 4}
    all_well(book.sweep())
    # All that acme had is gone, and so is the room in which it could stand again.
    book.script(
        "CREATE TEMP TABLE kept AS SELECT * FROM ledger.occurrence WHERE tenant = 'beta';"
        "TRUNCATE ledger.occurrence; INSERT INTO ledger.occurrence SELECT * FROM kept"
    )
    book.script(
        f"CREATE TABLE public.ballast (filling text) TABLESPACE {SPACE};"
        "ALTER TABLE public.ballast ALTER COLUMN filling SET STORAGE PLAIN"
    )
    for rows in (100, 1):
        _fill(book, rows)
    # What acme's repair could take before it failed is taken, so nobody's drill has room either.
    assert "out of room" in str(failed(book.sweep(), "room", alone=False).detail)
    book.sql("DROP TABLE public.ballast")
    healed(book, repairs={"missing": len(MANY) + 2})


def _fill(book: Book, rows: int) -> None:
    """Write pages, so many at once, until there is no room; what a statement that failed took stays taken."""
    filling = "INSERT INTO public.ballast SELECT repeat('x', 7000) FROM generate_series(1, %s)"
    try:
        while True:
            book.sql(filling, rows)
    except psycopg.errors.DiskFull:
        return


def test_8_clocks_of_database_and_sweeper_apart(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("sweeper.passes.time", _clock_off_by(timedelta(minutes=-10)))
        faulty(book.sweep(), "clocks: the sweeper's reads ")
    healed(book)


def test_9_zone_rules_that_are_missing(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    book.define("zoned", {"cron": "0 9 1 1 *", "timezone": "Asia/Tokyo"})
    with monkeypatch.context() as patched:
        patched.setattr(zones, "read_zone", _no_zone)
        _forget()
        said = str(failed(book.sweep(), "repair").detail)
        assert "task 'zoned': zone 'Asia/Tokyo' is not in tzdata" in said
    _forget()
    healed(book)


def _no_zone(name: str) -> bytes:
    raise LookupError(name)


def _forget() -> None:
    """As a process that begins: nothing was read yet."""
    zones.zone.cache_clear()
    schedules.read_schedule.cache_clear()
    schedules._seen.clear()


def test_10_a_trigger_that_swallows_inserts(book: Book) -> None:
    book.script(SWALLOW)
    report = book.sweep()
    assert "the repair raised StaleReference" in str(failed(report, "drill", alone=False).detail)
    faulty(report, "unexpected: trigger CREATE TRIGGER swallow")
    book.script(MEND)
    healed(book)


def test_11_a_table_that_was_renamed(book: Book) -> None:
    book.sql("ALTER TABLE ledger.hint RENAME TO wish")
    report = book.sweep()
    assert 'relation "ledger.hint" does not exist' in str(failed(report, "drill", alone=False).detail)
    faulty(report, "missing: column hint.task")
    book.sql("ALTER TABLE ledger.wish RENAME TO hint")
    healed(book)


def test_12_a_process_that_is_killed_midway(book: Book) -> None:
    assert health(book.connection).healthy
    died = subprocess.run([sys.executable, "-c", _DIES, book.dsn], check=False, timeout=60)
    assert died.returncode == -9
    found = sign(health(book.connection), "unclosed passes")
    assert found.word == "bad"
    healed(book)
    assert health(book.connection).healthy


def test_13_without_sabotage_it_stays_green(book: Book) -> None:
    for _ in range(3):
        all_well(book.sweep())
    assert health(book.connection).healthy
