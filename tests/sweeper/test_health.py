"""Health is asserted by fresh evidence; each vital sign turns when what it looks at does (I14)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from ledger.errors import NotFound
from ledger.statements.health import OldestSnapshot, TableCare
from sweeper.database_signs import CHANGED, DEAD, read_database
from sweeper.health import HealthReport, health
from sweeper.sign import Sign
from sweeper.signs import FAILING_SAID, SKIPS
from tests.sweeper.book import HOURLY, Book, all_well

SIGNS = [
    "sweep",
    "unclosed passes",
    "guards",
    "zone rules",
    "tenants",
    "verdicts",
    "drills",
    "dispatchers",
    "deliveries",
    "overdue rows",
    "rows set aside",
    "misnamed rows",
    "skipped tasks",
    "failing series",
    "dead rows",
    "oldest snapshot",
    "statistics",
]


def bad(report: HealthReport) -> dict[str, Sign]:
    return {sign.name: sign for sign in report.signs if sign.word == "bad"}


def test_nothing_is_healthy_before_anybody_has_looked(book: Book) -> None:
    report = health(book.connection)
    assert not report.healthy
    assert set(bad(report)) == {"sweep", "guards"}
    book.sweep()
    after = health(book.connection)
    assert after.healthy
    assert [sign.name for sign in after.signs] == SIGNS


def test_every_sign_says_what_was_seen_and_when(book: Book) -> None:
    book.define("a")
    all_well(book.sweep())
    report = health(book.connection)
    assert report.healthy
    for sign in report.signs:
        assert sign.says
        age = report.age_s(sign)
        assert (age is None) == (sign.name == "dispatchers"), sign
        assert age is None or 0 <= age < 60


def _age(book: Book, by: str) -> None:
    book.sql("UPDATE ledger.pass SET closed = closed - %s::interval", by)
    book.sql("UPDATE ledger.verdict SET at = at - %s::interval", by)


def test_a_sweep_stopped_for_two_periods_is_said(book: Book) -> None:
    book.define("a")
    all_well(book.sweep())
    # The period is read from the pass: 1,790 seconds are less than two of them.
    _age(book, "1790 s")
    assert health(book.connection).healthy
    _age(book, "11 s")
    assert set(bad(health(book.connection))) == {"sweep", "tenants"}
    assert health(book.connection, max_age=timedelta(hours=1)).healthy
    book.sql("UPDATE ledger.pass SET period_s = 1200")
    assert health(book.connection).healthy
    assert set(bad(health(book.connection, max_age=timedelta(minutes=20)))) == {"sweep", "tenants"}


def test_a_tenant_that_no_pass_reaches_is_named(book: Book) -> None:
    book.define("a")
    book.define("a", tenant="beta")
    all_well(book.sweep())
    book.define("a", tenant="new")
    book.define("off", tenant="idle")
    book.switch("off", "disable", "idle")
    # Nobody has looked at it yet, but its first act is fresh.
    assert health(book.connection).healthy
    book.sql("UPDATE ledger.act SET at = at - interval '1 hour' WHERE tenant IN ('new', 'idle')")
    book.sql("UPDATE ledger.verdict SET at = at - interval '1 hour' WHERE tenant = 'beta'")
    sign = bad(health(book.connection))["tenants"]
    assert [one["tenant"] for one in sign.evidence] == ["beta", "new"] or [
        one["tenant"] for one in sign.evidence
    ] == ["new", "beta"]
    assert "2 of 3" in sign.says
    assert health(book.connection, tenant="acme").healthy
    assert set(bad(health(book.connection, tenant="beta"))) == {"tenants"}


def test_a_failed_verdict_is_bad_and_a_repaired_one_a_note(book: Book) -> None:
    book.define("a")
    book.sql("DELETE FROM ledger.occurrence")
    assert not book.sweep().green
    report = health(book.connection)
    assert report.healthy
    (sign,) = [sign for sign in report.signs if sign.name == "verdicts"]
    assert (sign.word, sign.evidence[0]["repairs"]) == ("note", {"missing": 1})
    book.sql("REVOKE INSERT ON ledger.occurrence FROM ledger_sweeper")
    assert book.sweep().count("failed") == 1
    assert {"verdicts", "drills", "guards"} == set(bad(health(book.connection)))
    assert "'acme' for drill" in bad(health(book.connection))["verdicts"].says


def test_a_drill_that_could_not_be_tried_is_bad_though_the_tenant_has_not_failed(book: Book) -> None:
    book.define("a")
    book.sql("REVOKE DELETE ON ledger.occurrence FROM ledger_sweeper")
    assert book.sweep().count("failed") == 0
    assert {"drills", "guards"} == set(bad(health(book.connection)))


def _dispatcher(book: Book, tick: str, state: str = "active", kinds: Sequence[str] = ()) -> None:
    book.sql(
        "WITH life AS (INSERT INTO ledger.incarnation (slot, host, registered, server_start)"
        " VALUES ('one', 'here', now(), now()) RETURNING id)"
        " INSERT INTO ledger.dispatcher (incarnation, state, why, tick, deliveries)"
        " SELECT id, %s, 'of another release', now() - %s::interval, %s FROM life",
        state,
        tick,
        list(kinds),
    )


def test_a_dispatcher_without_a_fresh_tick_is_bad(book: Book) -> None:
    all_well(book.sweep())
    _dispatcher(book, "20 s")
    assert health(book.connection).healthy
    _dispatcher(book, "40 s")
    sign = bad(health(book.connection))["dispatchers"]
    assert "1 of 2" in sign.says
    book.sql(
        "UPDATE ledger.incarnation SET ended = now() WHERE id = (SELECT max(id) FROM ledger.incarnation)"
    )
    assert health(book.connection).healthy
    _dispatcher(book, "1 s", "blocked")
    assert "of another release" in bad(health(book.connection))["dispatchers"].says


def test_none_at_all_while_something_is_due_is_bad(book: Book) -> None:
    book.define("a", HOURLY)
    book.define("p", HOURLY, delivery="pull", tenant="beta")
    all_well(book.sweep())
    book.sql("UPDATE ledger.occurrence SET run_at = now() - interval '50 s'")
    assert health(book.connection).healthy
    book.sql("UPDATE ledger.occurrence SET run_at = now() - interval '70 s' WHERE task = 'p'")
    # A runtime of the platform's own has not come for it; no dispatcher would have.
    assert set(bad(health(book.connection))) == {"overdue rows"}
    book.sql("UPDATE ledger.occurrence SET run_at = now() - interval '65 s' WHERE task = 'a'")
    found = bad(health(book.connection))
    assert set(found) == {"overdue rows", "dispatchers"}
    assert [row["task"] for row in found["overdue rows"].evidence] == ["p", "a"]
    _dispatcher(book, "1 s", kinds=["http", "python"])
    assert set(bad(health(book.connection))) == {"overdue rows"}
    assert set(bad(health(book.connection, tenant="acme"))) == {"overdue rows"}
    assert [row["task"] for row in bad(health(book.connection, tenant="acme"))["overdue rows"].evidence] == [
        "a"
    ]


def test_a_kind_that_is_due_and_that_nobody_serves_is_named(book: Book) -> None:
    book.define("a", HOURLY, delivery="celery", tenant="beta")
    book.define("b", HOURLY)
    all_well(book.sweep())
    _dispatcher(book, "40 s", kinds=["celery", "python"])
    _dispatcher(book, "1 s", kinds=["http", "python"])
    assert "deliveries" not in bad(health(book.connection)), "nothing is due for long"
    book.sql("UPDATE ledger.occurrence SET run_at = now() - interval '70 s'")
    sign = bad(health(book.connection))["deliveries"]
    assert "serves 'celery' (1 rows due)" in sign.says
    assert "--delivery celery" in sign.says
    assert [(row["delivery"], row["rows"]) for row in sign.evidence] == [("celery", 1)]
    assert "deliveries" not in bad(health(book.connection, tenant="acme"))
    _dispatcher(book, "1 s", kinds=["celery"])
    assert "deliveries" not in bad(health(book.connection))


def test_rows_set_aside_are_bad_and_say_why(book: Book) -> None:
    book.define("a")
    all_well(book.sweep())
    book.sql(
        "UPDATE ledger.occurrence SET blocked_by = key, reason = 'its text is broken', "
        "retry_at = now() + interval '1 hour'"
    )
    sign = bad(health(book.connection))["rows set aside"]
    assert "its text is broken" in sign.says
    assert sign.evidence[0]["task"] == "a"


def test_a_task_that_one_run_keeps_from_running_is_named_with_it(book: Book) -> None:
    book.define("a", HOURLY)
    run = book.running("a")
    all_well(book.sweep())
    for n in range(SKIPS):
        assert health(book.connection).healthy, n
        book.copy(
            run,
            due=f"2190-01-01T00:00:{n:02}Z",
            state="skipped",
            reason="overlap",
            started=None,
            deadline=None,
            closed="2190-01-01T00:01:00Z",
            blocked_by=str(run),
        )
    sign = bad(health(book.connection))["skipped tasks"]
    assert str(run) in sign.says
    assert sign.evidence[0]["skips"] == SKIPS
    book.finish(run)
    assert "skipped tasks" not in bad(health(book.connection))


def test_series_that_fail_in_a_row_are_a_note_from_the_tenants_own_pass(book: Book) -> None:
    book.define("a", HOURLY)
    key = book.running("a")
    book.finish(key, failed=True)
    book.sql("UPDATE ledger.occurrence SET failures = 3 WHERE key = %s", key)
    all_well(book.sweep())
    report = health(book.connection)
    assert report.healthy
    (sign,) = [sign for sign in report.signs if sign.name == "failing series"]
    assert sign.word == "note"
    assert FAILING_SAID in sign.says
    tasks = sign.evidence[0]["tasks"]
    assert isinstance(tasks, list)
    assert (tasks[0]["task"], tasks[0]["failures"], tasks[0]["key"]) == ("a", 3, str(key))


def test_of_a_tenant_it_does_not_know_it_says_nothing(book: Book) -> None:
    book.define("a")
    all_well(book.sweep())
    with pytest.raises(NotFound, match="nobody"):
        health(book.connection, tenant="nobody")


def test_it_changes_nothing(book: Book) -> None:
    book.define("a")
    book.sweep()
    tables = "pass", "verdict", "verdict_log", "incarnation", "dispatcher"
    whole = "SELECT to_jsonb(t)::text FROM ledger.{} t"
    before = [book.sql(whole.format(table)) for table in tables], book.trace()
    health(book.connection)
    health(book.connection, tenant="acme")
    assert ([book.sql(whole.format(table)) for table in tables], book.trace()) == before


def test_a_misnamed_row_is_named_until_a_pass_finds_none(book: Book) -> None:
    """I1: who derives keys differently is looked for while it is known, not after the next pass."""
    book.define("a", HOURLY)
    (key,) = book.open_keys("a")
    book.sql("UPDATE ledger.occurrence SET destination = 'other'")
    assert book.sweep().repairs == {"misnamed": 1}
    sign = bad(health(book.connection))["misnamed rows"]
    assert (sign.evidence[0]["key"], sign.evidence[0]["tenant"]) == (key, "acme")
    all_well(book.sweep())
    assert health(book.connection).healthy


def test_a_snapshot_that_stays_open_is_named_with_its_session(book: Book) -> None:
    """What it keeps from being cleared slows every claim; a role that sees no sessions says so."""
    hidden = snapshot(health(book.connection))
    assert hidden.word == "note"
    assert "GRANT pg_read_all_stats TO ledger_reader" in hidden.says
    book.sql("GRANT pg_read_all_stats TO ledger_reader")
    try:
        other = Book(book.dsn)
        with other.connection.transaction():
            other.script("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1")
            sign = snapshot(health(book.connection))
            assert sign.at is not None
            assert (sign.word, sign.at <= other.one("SELECT now()")) == ("good", True)
            assert sign.evidence[0]["pid"]
        other.close()
    finally:
        book.sql("REVOKE pg_read_all_stats FROM ledger_reader")


def snapshot(report: HealthReport) -> Sign:
    return next(sign for sign in report.signs if sign.name == "oldest snapshot")


@pytest.mark.parametrize(("minutes", "word"), [(9, "good"), (11, "note"), (61, "bad")])
def test_how_old_a_snapshot_may_be(minutes: int, word: str) -> None:
    since = NOON - timedelta(minutes=minutes)
    for found in (
        OldestSnapshot(since, 7, "psql", 0, None),
        OldestSnapshot(NOON, 7, "psql", 3, since)
        if minutes > 9
        else OldestSnapshot(None, None, None, 0, since),
    ):
        sign = read_database(NOON, [TABLE], found)[1]
        assert sign.word == word
        assert word == "good" or sign.at == since


def test_what_autovacuum_and_analyze_must_not_leave() -> None:
    none = OldestSnapshot(None, None, None, 0, None)
    for table, words in (
        (TABLE._replace(dead=DEAD), ("good", "good")),
        (TABLE._replace(dead=DEAD + 1), ("bad", "good")),
        (TABLE._replace(live=10 * DEAD, dead=5 * DEAD), ("good", "good")),
        (TABLE._replace(changed=CHANGED + 1, analyzed=None), ("good", "bad")),
        (TABLE._replace(changed=CHANGED + 1, live=CHANGED + 1), ("good", "good")),
    ):
        dead, _, statistics = read_database(NOON, [TABLE, table], none)
        assert (dead.word, statistics.word) == words, table


NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
TABLE = TableCare("occurrence", 1000, 10, 10, NOON, NOON)
