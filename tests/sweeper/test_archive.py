"""The archive: what leaves the hot table, what stays, and that no question and no act can tell."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import Ledger, NotFound, NotStarted, Superseded, TenantLedger
from ledger.driver.connect import connect
from ledger.errors import BadInput
from ledger.moves.archive import kept_from, spans
from ledger.statements.archive import FIND_ARCHIVED, LOOK_OLD
from ledger.statements.reads import Occurrence
from sweeper.archiving import Keeping, archive
from sweeper.moves.archive import START, archive_page
from tests.commanding import Shell
from tests.moves.own_keys import own_key
from tests.moves.test_statements import numbered
from tests.sweeper.book import HOURLY, TENANT, Book

DAYS = 12
# Hourly rows before the one that ran last, each under the key of its facts and derived from the one before.
HISTORY = """
INSERT INTO ledger.occurrence
SELECT (jsonb_populate_record(o, jsonb_build_object('key', k.key, 'fingerprint', k.own, 'due', k.due,
            'predecessor', k.before, 'run_at', k.due, 'started', k.due, 'closed', k.due))).*
  FROM ledger.occurrence o
 CROSS JOIN unnest(%s::uuid[], %s::bytea[], %s::uuid[], %s::timestamptz[]) AS k (key, own, before, due)
 WHERE o.key = %s"""


@pytest.fixture
def acme(dsn: str) -> Iterator[TenantLedger]:
    with Ledger(dsn) as ledger:
        yield ledger.tenant(TENANT)


@pytest.fixture
def lived(book: Book) -> UUID:
    """A task that has run every hour for twelve days; the key of its last run."""
    book.define("report", HOURLY)
    last = book.running("report")
    book.finish(last)
    book.sql("DELETE FROM ledger.occurrence WHERE state = 'skipped'")
    ((digest, due),) = book.sql(
        "SELECT encode(digest, 'hex'), due FROM ledger.occurrence WHERE key = %s", last
    )
    assert isinstance(due, datetime)
    slots = [due - n * timedelta(hours=1) for n in range(1, DAYS * 24 + 2)]
    facts = (TENANT, "python", "schedule", "default", "local:default", "report", str(digest))
    keys = [own_key(facts, slot) for slot in slots]
    before = [key.key for key in keys[1:]]
    own = keys[:-1]
    book.sql(HISTORY, [k.key for k in own], [k.fingerprint for k in own], before, slots[:-1], last)
    return last


def all_pages(
    acme: TenantLedger, n: int, since: datetime | None = None, until: datetime | None = None
) -> list[Occurrence]:
    rows: list[Occurrence] = []
    cursor: str | None = None
    while True:
        page = acme.history("report", cursor=cursor, limit=n, since=since, until=until)
        rows += page.rows
        cursor = page.cursor
        if cursor is None:
            return rows


def test_questions_answer_as_before(book: Book, lived: UUID, acme: TenantLedger) -> None:
    """I2, section 10: history page by page, a span of it, and each row with those around it."""
    before = all_pages(acme, 1_000)
    keys = [row.key for row in before]
    assert len(keys) == DAYS * 24 + 1
    at = before[100].due
    asked = [before[i].key for i in (0, 1, 47, 150, len(before) - 1)]
    told = [acme.explain(key) for key in asked]
    spanned = [row.key for row in before if at - timedelta(days=3) <= row.due < at]

    done = archive(book.connection, Keeping(hot=timedelta(days=2)))
    assert done.moved == book.one("SELECT count(*)::int FROM ledger.archive")
    assert done.moved > 9 * 24
    assert book.one("SELECT count(*)::int FROM ledger.archive_rest") == 0
    assert book.one("SELECT count(*)::int FROM ledger.occurrence") == len(keys) + 1 - done.moved
    for n in (1_000, 7, 100):
        assert all_pages(acme, n) == before
    found = all_pages(acme, 20, since=at - timedelta(days=3), until=at)
    assert [row.key for row in found] == spanned
    assert [acme.explain(key) for key in asked] == told
    assert archive(book.connection, Keeping(hot=timedelta(days=2))).moved == 0


def test_acts_on_what_lies_there_answer_as_if_it_were_hot(
    book: Book, lived: UUID, acme: TenantLedger
) -> None:
    """I6, I7, I15: closed is closed, a late finish is evidence, and a request runs once."""
    asked = acme.run_now("report", "r1")
    book.claim()
    book.finish(asked.key)
    assert archive(book.connection, Keeping(hot=timedelta(0))).moved == DAYS * 24 + 1
    gone = book.one("SELECT key FROM ledger.archive WHERE lane = 'series' ORDER BY due DESC LIMIT 1")
    assert isinstance(gone, UUID)
    with pytest.raises(NotStarted) as refused:
        acme.start(gone)
    assert refused.value.reason == "closed"
    assert (acme.cancel(gone).did, acme.cancel(gone).found) == ("unchanged", "succeeded")
    with pytest.raises(Superseded):
        acme.finish(gone, "failed")
    assert [one.what for one in acme.explain(gone).evidence] == ["late finish"]
    again = acme.run_now("report", "r1")
    assert (again.key, again.first, again.state) == (asked.key, False, "succeeded")
    with pytest.raises(NotFound):
        acme.explain(UUID(int=gone.int ^ 1))


def test_what_claims_ask_for_stays(book: Book, lived: UUID) -> None:
    """I16: the frontier, the last start behind skipped slots, and whatever has an open row in its slot."""
    book.sql(
        "UPDATE ledger.occurrence SET state = 'skipped', started = NULL, reason = 'overlap' WHERE key = %s",
        lived,
    )
    archive(book.connection, Keeping(hot=timedelta(0)))
    rest = book.sql("SELECT state, key = %s FROM ledger.occurrence ORDER BY due", lived)
    assert rest == [("succeeded", False), ("skipped", True), ("pending", False)]


def test_a_row_that_somebody_holds_stays_for_another_time(book: Book, lived: UUID, dsn: str) -> None:
    """Nobody waits for the archive, and it waits for nobody."""
    ((held,),) = book.sql("SELECT key FROM ledger.occurrence ORDER BY due LIMIT 1")
    with psycopg.connect(dsn) as other:
        other.execute("SELECT FROM ledger.occurrence WHERE key = %s FOR UPDATE", [held])
        assert archive(book.connection, Keeping(hot=timedelta(0))).moved == DAYS * 24 - 1
    assert archive(book.connection, Keeping(hot=timedelta(0))).moved == 1


def test_a_look_whose_time_is_up_says_where_it_goes_on(book: Book, lived: UUID) -> None:
    done = archive(book.connection, Keeping(hot=timedelta(0), within=timedelta(0)))
    assert (done.looked_at, done.goes_on) == (0, START)
    first = book.run(archive_page(START, datetime.now(UTC), n=10), "sweeper")
    assert (first.looked_at, first.moved) == (10, 10)
    assert first.end is not None
    rest = book.run(archive_page(first.end, datetime.now(UTC)), "sweeper")
    assert rest.moved == DAYS * 24 - 10


def test_prune_says_what_it_would_do_and_does_it(
    book: Book, lived: UUID, acme: TenantLedger, dsn: str
) -> None:
    """I16: days that are kept no longer go, and from then on history begins later."""
    shell = Shell(dsn)
    whole = acme.history("report", limit=1_000).rows
    shell.does("prune", "--hot", "1d")
    days = book.one("SELECT count(*) FROM pg_inherits WHERE inhparent = 'ledger.archive'::regclass")
    would = shell.does("prune", "--hot", "1d", "--history", "5d", "--dry-run", "--json").json
    assert acme.history("report", limit=1_000).rows == whole
    did = shell.does("prune", "--hot", "1d", "--history", "5d", "--remember", "--json").json
    assert did["dropped"] == would["dropped"]
    dropped = did["dropped"]
    assert isinstance(dropped, list)
    assert len(dropped) >= 6
    assert isinstance(days, int)
    begins = datetime.fromisoformat(f"{dropped[-1]}T00:00:00+00:00") + timedelta(days=1)
    assert acme.history("report", limit=1_000).rows == [row for row in whole if row.due >= begins]
    with pytest.raises(NotFound):
        acme.explain(whole[-1].key)
    assert book.run(kept_from(), "tenant", TENANT) >= begins
    assert book.sql("SELECT hot, history FROM ledger.settings") == [(timedelta(days=1), timedelta(days=5))]
    assert "so keep it at least as long" in shell.refuses("prune", "--hot", "9d", code=2)
    shell.refuses("prune", "--remember", code=2)


def test_no_window_is_longer_than_what_is_kept(book: Book) -> None:
    with pytest.raises(BadInput):
        archive(book.connection, Keeping(hot=timedelta(days=9), history=timedelta(days=8)))


def test_both_tables_have_the_same_columns_in_the_same_order(book: Book) -> None:
    """What leaves the one enters the other whole: whoever adds a column adds it to both."""
    columns = (
        "SELECT attname::text, atttypid::regtype::text, attnotnull FROM pg_attribute"
        " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
    )
    assert book.sql(columns, "ledger.archive") == book.sql(columns, "ledger.occurrence")


def test_one_day_answers_for_a_key_and_old_rows_are_found_by_theirs(
    book: Book, lived: UUID, dsn: str
) -> None:
    archive(book.connection, Keeping(hot=timedelta(0)))
    book.script("ANALYZE ledger.archive")
    ((key, due),) = book.sql("SELECT key, due FROM ledger.archive ORDER BY due LIMIT 1")
    moment = {"low": due, "high": due, "key": key, "tenant": TENANT}
    with connect(dsn, application="ledger test") as own:
        own.execute("SET plan_cache_mode = force_custom_plan")
        lines = own.execute(b"EXPLAIN (COSTS OFF) " + FIND_ARCHIVED.sql, moment).fetchall()
        plan = "\n".join(str(line) for (line,) in lines)
        assert plan.count("Scan") == 1, plan
        own.execute("SET plan_cache_mode = force_generic_plan")
        own.execute(b"PREPARE asked AS " + numbered(LOOK_OLD.sql.decode()).encode())
        lines = own.execute("EXPLAIN (COSTS OFF) EXECUTE asked(NULL, NULL, NULL, NULL, NULL)").fetchall()
        plan = "\n".join(str(line) for (line,) in lines)
        assert "Seq Scan" not in plan, plan
        assert "Index Scan using occurrence_pkey on occurrence o" in plan, plan


BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


@given(
    st.lists(st.integers(0, 700), max_size=60, unique=True),
    st.tuples(st.integers(-30, 740), st.integers(0, 800 * 86_400)),
    st.booleans(),
)
def test_spans_cover_all_once_and_few_days_each(days: list[int], of: tuple[int, int], down: bool) -> None:
    low = BEGINNING + timedelta(days=of[0], seconds=3)
    high = low + timedelta(seconds=of[1])
    starts = [BEGINNING + timedelta(days=day) for day in days]
    found = spans([start.date() for start in starts], low, high, latest_first=down)
    ordered = found[::-1] if down else found
    assert (ordered[0].low, ordered[-1].high) == (low, high)
    assert all(b.low - a.high == timedelta(microseconds=1) for a, b in pairwise(ordered))
    for n, span in enumerate(found):
        assert sum(span.low <= start <= span.high for start in starts) <= 2**n + 1


def test_a_sweep_moves_what_is_old_and_says_so(book: Book, lived: UUID, dsn: str) -> None:
    """I13, I14: by the settings, counted on its row; a lock that does not come is said, and stops no pass."""
    book.sql("UPDATE ledger.settings SET hot = '2 days', history = '6 days'")
    with psycopg.connect(dsn) as other:
        other.execute("LOCK TABLE ledger.archive IN SHARE MODE")
        held = book.sweep()
    assert held.archived is None
    assert any("the next pass tries again" in note for note in held.notes)
    swept = book.sweep()
    assert swept.archived is not None
    assert swept.archived.moved > 9 * 24
    assert len(swept.archived.dropped) >= 6
    kept = book.one("SELECT report -> 'archive' ->> 'moved' FROM ledger.pass ORDER BY id DESC LIMIT 1")
    assert kept == str(swept.archived.moved)
    assert book.sweep(TENANT).archived is None
    assert "archive: " not in Shell(dsn)("sweep").out, "nothing to say where nothing moved"
