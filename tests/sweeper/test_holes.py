"""What a repair says of itself: its kind, and what made it needed, most likely, beside its row (I13)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ledger.authored.models import Definition
from ledger.moves.adopt import Origin, Subject, adopt
from projector.moves.hint import Wish, hint
from tests.sweeper.book import HOURLY, TENANT, Book, all_well, only

ENDING = {"every_s": 3_600, "ends_at": "2190-01-01T00:00:00Z"}


def told(book: Book, key: object) -> list[object]:
    return [
        detail
        for (detail,) in book.sql(
            "SELECT detail FROM ledger.evidence WHERE key = %s AND what = 'repaired' ORDER BY id", key
        )
    ]


def test_a_missing_row_names_the_start_that_should_have_projected_it(book: Book) -> None:
    book.define("a", HOURLY)
    run = book.running("a", incarnation=7)
    (successor,) = book.open_keys("a")
    book.sql("DELETE FROM ledger.occurrence WHERE key = %s", successor)
    report = book.sweep()
    assert only(report) == {"missing": 1}
    (said,) = told(book, successor)
    assert str(said).startswith(f"missing: row {run} (running by incarnation 7, ")
    assert f"task 'a': row {run} (running by incarnation 7" in str(report.verdicts[0].detail)
    assert book.one("SELECT detail FROM ledger.verdict_log ORDER BY id DESC") == report.verdicts[0].detail


def test_a_missing_first_row_names_the_act_that_should_have_opened_it(book: Book) -> None:
    key = book.define("a").key
    book.sql("DELETE FROM ledger.occurrence")
    book.sweep()
    (said,) = told(book, key)
    assert str(said).startswith("missing: act 1 (define by a person at ")


def test_a_row_of_a_disabled_task_names_the_act_that_should_have_retired_it(book: Book) -> None:
    key = book.define("a").key
    book.switch("a", "disable")
    book.sql("UPDATE ledger.occurrence SET state = 'pending', reason = NULL WHERE key = %s", key)
    assert only(book.sweep()) == {"stray": 1}
    (said,) = told(book, key)
    assert str(said).startswith("stray: act 2 (disable by a person at ")


def test_an_overdue_run_asks_for_a_dispatcher(book: Book) -> None:
    book.define("a", HOURLY)
    key = book.running("a")
    book.sql("UPDATE ledger.occurrence SET deadline = now() - interval '1 second'")
    assert only(book.sweep()) == {"overdue": 1}
    assert "no dispatcher closed it: does one run?" in str(told(book, key))


def test_a_fact_that_no_fact_can_be_is_put_right_and_keeps_nobody(book: Book) -> None:
    key = book.define("a").key
    book.define("b")
    book.sql("DELETE FROM ledger.occurrence WHERE task = 'b'")
    book.sql("UPDATE ledger.occurrence SET destination = 'team:\u00e4' WHERE key = %s", key)
    assert only(book.sweep()) == {"misnamed": 1, "missing": 1}
    assert book.sql("SELECT what, detail FROM ledger.evidence WHERE key = %s ORDER BY id", key)[0] == (
        "misnamed",
        "the facts beside it are those of no key at all",
    )
    all_well(book.sweep())


def test_a_row_behind_the_end_of_its_series_is_retired(book: Book) -> None:
    acted = book.define("a", ENDING)
    book.define("b", ENDING)
    (text,) = book.sql("SELECT canonical FROM ledger.definition WHERE digest = %s", acted.digest)[0]
    late = datetime(2190, 1, 1, 1, tzinfo=UTC)
    subject = Subject(TENANT, "a", acted.digest, Definition.of(str(text)))
    origin = Origin(late - timedelta(hours=1), late - timedelta(hours=1), None, "baseline-interval")
    row = subject.row("schedule", late, origin=origin)
    book.sql("DELETE FROM ledger.occurrence WHERE task = 'a'")
    book.run(adopt([row], "x", datetime.now(UTC)), "tenant", TENANT)
    assert only(book.sweep()) == {"past end": 1}
    assert book.state(row.key) == "retired"
    assert book.open_keys("a") == [acted.key]
    assert "past end: act 1 (define by a person" in str(told(book, acted.key))
    all_well(book.sweep())


def test_a_hint_behind_the_end_of_a_series_is_none_of_the_sweeps_business(book: Book) -> None:
    book.define("a", {"at": "2190-01-01T00:00:00Z"})
    now = datetime.now(UTC)
    wish = Wish(timedelta(days=1), None, now + timedelta(days=2))
    book.run(hint(TENANT, "a", wish, "a planner"), "tenant", TENANT)
    book.sql("UPDATE ledger.definition SET canonical = replace(canonical, '2190-01-01', '2020-01-01')")
    assert book.one("SELECT wake FROM ledger.occurrence WHERE state = 'pending'") == "hint"
    all_well(book.sweep())
