"""What a pass does to the outbox: old events go, but for whoever is behind; what is lost unsent is said."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from ledger.moves.outbox import KEEP, Wish, add, subscribers
from ledger.moves.step import Call
from ledger.statements.outbox import DROP_EVENTS, NUMBER_EVENTS, READ_ALL_EVENTS, READ_EVENTS
from sweeper import outbox
from tests.sweeper.book import TENANT, Book
from tests.sweeper.test_plans import explain
from tests.test_metrics import swept

DAY = timedelta(days=1)


def told_of(book: Book, n: int, days_ago: float, tenant: str = TENANT) -> None:
    """Events of failed runs, so old."""
    book.sql(
        "INSERT INTO ledger.event (key, tenant, task, kind, at, wake, due, failures, retry)"
        " SELECT gen_random_uuid(), %s, 'a', 'failed', now() - %s, 'schedule', now(), 1, false"
        " FROM generate_series(1, %s)",
        tenant,
        days_ago * DAY,
        n,
    )


def subscriber(book: Book, name: str, days: int, tenant: str | None = None) -> None:
    book.run(add(Wish(name, tenant, "https://x.example/", ["failed"], "env:X", days * DAY), "me"), "owner")


def test_old_events_go_in_batches_and_what_one_loses_is_said(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "BATCH", 10)
    subscriber(book, "patient", 40)
    subscriber(book, "hasty", 20, TENANT)
    told_of(book, 25, 50)
    told_of(book, 12, 30, "globex")
    told_of(book, 12, 30)
    told_of(book, 5, KEEP / DAY - 1)
    report = book.sweep()
    kept = "SELECT tenant, count(*)::integer FROM ledger.event GROUP BY 1 ORDER BY 1"
    assert book.sql(kept) == [(TENANT, 12 + 5), ("globex", 12)], "one waits for those, within its bound"
    lost = {one.name: (one.dropped, one.waiting) for one in book.run(subscribers(), "reader")}
    assert lost == {"patient": (25, 29), "hasty": (25, 17)}
    assert [note for note in report.notes if "hasty" in note or "patient" in note] == [
        "subscriber 'hasty': 25 events were dropped before they were sent; they had waited for its bound",
        "subscriber 'patient': 25 events were dropped before they were sent; they had waited for its bound",
    ]
    book.sql("DELETE FROM ledger.subscriber WHERE name = 'patient'")
    report = book.sweep()
    assert book.sql(kept) == [(TENANT, 5)]
    assert [note for note in report.notes if "subscriber" in note] == [
        "subscriber 'hasty': 12 events were dropped before they were sent; they had waited for its bound"
    ]


def test_what_waits_is_told_by_metric(book: Book, tmp_path: Path) -> None:
    file = tmp_path / "ledger.prom"
    _, none = swept(book, file)
    assert none["ledger_unsent_events", ""] == none["ledger_subscribers", ""] == 0
    assert ("ledger_oldest_unsent_event_timestamp_seconds", "") not in none
    subscriber(book, "pager", 40)
    subscriber(book, "other", 40, "globex")
    book.sql(
        "UPDATE ledger.subscriber SET failures = 3, added = now() - interval '9 days' WHERE name = 'pager'"
    )
    told_of(book, 3, 2)
    _, some = swept(book, file)
    assert (some["ledger_subscribers", ""], some["ledger_failing_subscribers", ""]) == (2, 1)
    assert some["ledger_unsent_events", ""] == 3
    oldest = book.one("SELECT extract(epoch FROM min(at))::float8 FROM ledger.event")
    assert some["ledger_oldest_unsent_event_timestamp_seconds", ""] == pytest.approx(oldest)


def test_a_page_costs_a_page_however_many_events_are_kept(book: Book) -> None:
    """By plans that were made without looking at the parameters."""
    book.sql(
        "INSERT INTO ledger.event (key, tenant, task, kind, at, wake, due, failures, retry, n)"
        " SELECT gen_random_uuid(), 't' || n %% 50, 'a', 'failed', now(), 'schedule', now(), 1, false, n"
        " FROM generate_series(1, 20000) n"
    )
    book.sql("UPDATE ledger.event_count SET last = 20000")
    subscriber(book, "pager", 40)
    for table in ("event", "subscriber", "event_count", "event_gone"):
        book.script(f"VACUUM ANALYZE ledger.{table}")
    told_of(book, 3, 0, "t1")
    calls: dict[str, tuple[Call[object], int]] = {
        "a tenant's page": (READ_EVENTS(tenant="t1", after=19_000, kinds=["failed"], n=10), 40),
        "everybody's": (READ_ALL_EVENTS(after=100, kinds=["failed"], n=10), 20),
        "numbers": (NUMBER_EVENTS(whose=None, most=5_000), 300),
        "a tenant's numbers": (NUMBER_EVENTS(whose="t1", most=5_000), 300),
        "old ones": (DROP_EVENTS(keep=KEEP, beyond=0, n=100), 100),
    }
    for what, (call, most) in calls.items():
        nodes = explain(book, call)
        assert not [
            node for node in nodes if node["Node Type"] == "Seq Scan" and node["Relation Name"] == "event"
        ], what
        touched = nodes[0]["Shared Hit Blocks"] + nodes[0]["Shared Read Blocks"]
        assert touched <= most, (what, touched)
