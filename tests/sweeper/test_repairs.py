"""Each kind of repair: broken by hand, seen, counted, mended; the next pass finds nothing (I4, I13, I15)."""

from __future__ import annotations

from uuid import UUID

from ledger.moves.close import Closing, close
from tests.sweeper.book import FAR, HOURLY, TENANT, Book, all_well, only

RETRYING: dict[str, object] = {"retry": {"attempts": 2, "backoff_s": 600}}


def test_a_missing_row_is_opened_again_under_the_same_key(book: Book) -> None:
    keys = [book.define(task).key for task in ("a", "b", "c")]
    book.sql("DELETE FROM ledger.occurrence WHERE task IN ('a', 'c')")
    report = book.sweep()
    assert only(report) == {"missing": 2}
    assert report.made == 2
    assert [book.open_keys(task) for task in ("a", "b", "c")] == [[key] for key in keys]
    all_well(book.sweep())


def test_a_missing_row_of_a_series_that_has_ended_is_the_row_that_says_so(book: Book) -> None:
    assert book.define("past", {"at": "2020-01-01T00:00:00Z"}).ended
    book.define("far")
    book.sql("DELETE FROM ledger.occurrence WHERE task = 'past'")
    report = book.sweep()
    assert only(report) == {"missing": 1}
    assert book.one("SELECT state FROM ledger.occurrence WHERE task = 'past'") == "ended"
    all_well(book.sweep())


def test_a_row_under_a_dead_digest_is_retired_and_the_right_one_opened(book: Book) -> None:
    old = book.define("a").key
    book.define("a", FAR, name="renamed")
    right = book.open_keys("a")
    book.sql("DELETE FROM ledger.occurrence WHERE key = %s", right[0])
    book.sql("UPDATE ledger.occurrence SET state = 'pending', reason = NULL WHERE key = %s", old)
    assert only(book.sweep()) == {"dead digest": 1}
    assert book.open_keys("a") == right
    assert book.state(old) == "retired"
    all_well(book.sweep())


def test_an_open_row_of_a_disabled_task_is_retired(book: Book) -> None:
    key = book.define("a").key
    book.define("b")
    book.switch("a", "disable")
    book.sql("UPDATE ledger.occurrence SET state = 'pending', reason = NULL WHERE key = %s", key)
    assert only(book.sweep()) == {"stray": 1}
    assert book.state(key) == "retired"
    all_well(book.sweep())


def test_rows_left_by_deleted_tasks_are_found_though_the_tenant_has_none(book: Book) -> None:
    key = book.define("a").key
    book.define("b", tenant="other")
    book.sql("DELETE FROM ledger.task WHERE tenant = 'acme'")
    book.sql("UPDATE ledger.occurrence SET lane = 'retry:1@x' WHERE key = %s", key)
    report = book.sweep()
    assert only(report) == {"stray": 1}
    assert report.expected == 2
    assert book.state(key) == "retired"
    after = book.sweep()
    all_well(after)
    assert after.expected == 1


def test_a_run_past_its_deadline_is_closed_and_its_retry_minted(book: Book) -> None:
    book.define("a", HOURLY, **RETRYING)
    key = book.running("a")
    book.sql("UPDATE ledger.occurrence SET deadline = now() - interval '1 second' WHERE key = %s", key)
    report = book.sweep()
    assert only(report) == {"overdue": 1}
    assert report.made == 1
    assert book.state(key) == "timed_out"
    assert (
        book.one("SELECT count(*) FROM ledger.occurrence WHERE wake = 'retry:1' AND state = 'pending'") == 1
    )
    all_well(book.sweep())


def test_a_run_within_its_deadline_is_left_alone(book: Book) -> None:
    book.define("a", HOURLY)
    key = book.running("a")
    all_well(book.sweep())
    assert book.state(key) == "running"


def test_runs_of_an_absent_process_are_lost_once_it_was_seen_absent_twice(book: Book) -> None:
    (incarnation,) = (
        row[0]
        for row in book.sql(
            "INSERT INTO ledger.incarnation (slot, host, registered, server_start, held)"
            " VALUES ('one', 'here', now(), pg_postmaster_start_time(), true) RETURNING id"
        )
    )
    assert isinstance(incarnation, int)
    book.define("a", HOURLY)
    key = book.running("a", incarnation=incarnation)
    first = book.sweep()
    assert first.repairs == {}
    assert book.state(key) == "running"
    assert only(book.sweep()) == {"lost": 1}
    assert book.state(key) == "lost"
    assert book.one("SELECT ended IS NOT NULL FROM ledger.incarnation") is True
    all_well(book.sweep())


def test_a_row_that_waits_for_nothing_is_freed(book: Book) -> None:
    book.define("a", HOURLY)
    blocker = book.running("a")
    waiting = _manual(book, "first", blocker)
    later = _manual(book, "second", blocker)
    all_well(book.sweep())
    book.sql("UPDATE ledger.occurrence SET state = 'succeeded', closed = now() WHERE key = %s", blocker)
    assert only(book.sweep()) == {"waiting": 1}
    assert book.one("SELECT blocked_by IS NULL FROM ledger.occurrence WHERE key = %s", waiting) is True
    # The one behind it still waits, and rightly: the first is due, and frees it when it closes.
    assert book.one("SELECT blocked_by FROM ledger.occurrence WHERE key = %s", later) == blocker
    all_well(book.sweep())


def test_a_row_set_aside_is_freed_when_its_next_try_has_come(book: Book) -> None:
    key = book.define("a").key
    book.define("b")
    book.sql(
        "UPDATE ledger.occurrence SET blocked_by = key, reason = 'poison', "
        "retry_at = now() + interval '1 hour' WHERE key = %s",
        key,
    )
    all_well(book.sweep())
    book.sql("UPDATE ledger.occurrence SET retry_at = now() - interval '1 second' WHERE key = %s", key)
    assert only(book.sweep()) == {"set aside": 1}
    assert book.sql("SELECT blocked_by, retry_at, reason FROM ledger.occurrence WHERE key = %s", key) == [
        (None, None, None)
    ]
    all_well(book.sweep())


def test_a_retry_never_minted_is_minted_as_the_closing_should_have(book: Book) -> None:
    book.define("a", HOURLY, **RETRYING)
    book.finish(book.running("a"), failed=True)
    (minted,) = book.sql("SELECT key, run_at, due, lane FROM ledger.occurrence WHERE wake = 'retry:1'")
    book.sql("DELETE FROM ledger.occurrence WHERE wake = 'retry:1'")
    assert only(book.sweep()) == {"retry": 1}
    assert book.sql("SELECT key, run_at, due, lane FROM ledger.occurrence WHERE wake = 'retry:1'") == [minted]
    all_well(book.sweep())


def test_the_second_retry_is_minted_where_the_first_failed(book: Book) -> None:
    book.define("a", HOURLY, **RETRYING)
    book.finish(book.running("a"), failed=True)
    second = _fail_retry(book, "retry:1")
    assert second == "retry:2"
    book.sql("DELETE FROM ledger.occurrence WHERE wake = 'retry:2'")
    assert only(book.sweep()) == {"retry": 1}
    assert _fail_retry(book, "retry:2") is None
    # Both attempts are used up: there is nothing to mint.
    all_well(book.sweep())


def test_no_retry_is_minted_that_nobody_asks_for(book: Book) -> None:
    book.define("none", HOURLY)
    book.define("lost", HOURLY, **RETRYING)
    book.define("dropped", HOURLY, **RETRYING)
    book.define("unhanded", HOURLY, **RETRYING)
    book.finish(book.running("none"), failed=True)
    # Its rules do not speak of `lost`.
    key = book.running("lost", incarnation=9)
    book.run(close([Closing(TENANT, "lost", key, "lost", "absent", by="a test", incarnation=9)]))
    # Its switch was moved since, which drops what was to be tried again.
    book.finish(book.running("dropped"), failed=True)
    book.switch("dropped", "disable")
    book.switch("dropped", "enable")
    # Handed back three times before it began: a failure that `retry` does not speak of.
    key = book.running("unhanded")
    book.sql(
        "UPDATE ledger.occurrence SET state = 'failed', closed = now(), reason = 'unhanded 3 times in a row'"
        " WHERE key = %s",
        key,
    )
    all_well(book.sweep())
    assert (
        book.one("SELECT count(*) FROM ledger.occurrence WHERE wake LIKE 'retry%%' AND state = 'pending'")
        == 0
    )


def test_everything_at_once_in_one_tenant(book: Book) -> None:
    for task in ("missing", "stray", "overdue", "well"):
        book.define(task, HOURLY, **RETRYING)
    run = book.running("overdue")
    book.sql("UPDATE ledger.occurrence SET deadline = now() WHERE key = %s", run)
    book.sql("DELETE FROM ledger.occurrence WHERE task = 'missing'")
    book.sql("UPDATE ledger.task SET enabled = false WHERE task = 'stray'")
    assert only(book.sweep()) == {"missing": 1, "overdue": 1, "stray": 1}
    all_well(book.sweep())


def test_a_task_that_cannot_be_mended_keeps_no_other_from_it(book: Book) -> None:
    book.define_many([f"task-{n}" for n in range(9)])
    book.sql("DELETE FROM ledger.occurrence")
    book.script(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql"
        " AS $$ BEGIN RAISE 'no room for you'; END $$;"
        "CREATE TRIGGER refuse BEFORE INSERT ON ledger.occurrence FOR EACH ROW"
        " WHEN (NEW.task = 'task-4') EXECUTE FUNCTION refuse()"
    )
    (verdict,) = book.sweep().verdicts
    assert (verdict.word, verdict.cause, verdict.repairs) == ("failed", "repair", {"missing": 8})
    assert "'task-4'" in str(verdict.detail)
    assert "no room for you" in str(verdict.detail)
    assert (verdict.checked, verdict.open) == (9, 8)
    book.script("DROP TRIGGER refuse ON ledger.occurrence; DROP FUNCTION refuse()")
    assert only(book.sweep()) == {"missing": 1}
    all_well(book.sweep())


def _manual(book: Book, name: str, blocker: UUID) -> object:
    """A row of another lane that waits for a run; of another version of the key, which is not judged."""
    return book.copy(
        blocker,
        wake=f"manual:{name}",
        lane=f"manual:{name}",
        due=f"2026-01-01T00:00:0{len(name) % 9}Z",
        state="pending",
        key_version=0,
        started=None,
        deadline=None,
        blocked_by=str(blocker),
        reason="waiting",
    )


def _fail_retry(book: Book, wake: str) -> str | None:
    """Let a retry come due, run and fail; the wake of the one that follows it."""
    book.sql("UPDATE ledger.occurrence SET run_at = now() WHERE wake = %s", wake)
    book.claim()
    key = book.one("SELECT key FROM ledger.occurrence WHERE wake = %s AND state = 'running'", wake)
    assert isinstance(key, UUID)
    (retry,) = book.finish(key, failed=True).retries or [None]
    return None if retry is None else retry.wake
