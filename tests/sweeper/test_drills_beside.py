"""Drills beside a dispatcher at work: hundreds leave no row and no lock, and make nobody late (I13)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from ledger.moves.close import Closing, close
from sweeper.moves.drill import drill
from tests.sweeper.book import TENANT, Book

DRILLS, DRILLERS, RUNS = 100, 3, 40
EVERY_SECOND: dict[str, object] = {"every_s": 1}


def _drill(dsn: str, first: int, enough: Event) -> list[str]:
    """Drills one after the other, each at another task: so many, and until enough has run beside."""
    book = Book(dsn)
    found: list[str] = []
    try:
        while len(found) < DRILLS or not enough.is_set():
            turn = f"far-{(first + len(found)) % 20:02}"
            found.append(book.run(drill(TENANT, turn), "sweeper", TENANT).word)
    finally:
        book.close()
    return found


def _dispatch(dsn: str, enough: Event, over: Event) -> tuple[int, int]:
    """Claim and finish until the drills are over: how many ran, and how many a claim left that were due."""
    book = Book(dsn)
    ran = left = 0
    try:
        while not over.is_set():
            began = book.one("SELECT clock_timestamp()")
            claimed = book.claim()
            ran += len(claimed.started)
            if ran >= RUNS:
                enough.set()
            left += int(
                str(
                    book.one(
                        "SELECT count(*) FROM ledger.occurrence"
                        " WHERE state = 'pending' AND blocked_by IS NULL AND run_at <= %s",
                        began,
                    )
                )
            )
            closings = [
                Closing(TENANT, run.subject.task, run.key, "succeeded", "finish") for run in claimed.started
            ]
            if closings:
                book.run(close(closings))
    finally:
        enough.set()
        book.close()
    return ran, left


def test_hundreds_of_drills_leave_no_row_no_lock_and_nobody_late(book: Book) -> None:
    for n in range(20):
        book.define(f"far-{n:02}")
        book.define(f"near-{n:02}", EVERY_SECOND)
    known = book.sql("SELECT count(*) FROM ledger.definition")
    enough, over = Event(), Event()
    with ThreadPoolExecutor(DRILLERS + 1) as pool:
        dispatching = pool.submit(_dispatch, book.dsn, enough, over)
        try:
            drilling = [pool.submit(_drill, book.dsn, 7 * n, enough) for n in range(DRILLERS)]
            words = [word for one in drilling for word in one.result()]
        finally:
            over.set()
        ran, left = dispatching.result()
    print(f"{len(words)} drills beside {ran} runs")
    assert set(words) == {"passed"}
    assert len(words) >= DRILLS * DRILLERS
    assert ran >= RUNS
    assert left == 0, "a claim passed by what was due"
    # Nobody but the act that defined a task and the start before it has made a row, nor retired one.
    assert {by for (by,) in book.sql("SELECT DISTINCT made_by FROM ledger.occurrence")} <= {"define", "start"}
    assert book.sql("SELECT key FROM ledger.occurrence WHERE state IN ('retired', 'ended')") == []
    assert book.sql("SELECT key FROM ledger.evidence") == []
    assert book.sql("SELECT count(*) FROM ledger.definition") == known
    assert book.sql("SELECT task FROM ledger.task WHERE task = 'the canary'") == []
    assert (
        book.sql(
            "SELECT l.mode FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE d.datname = current_database() AND l.pid <> pg_backend_pid()"
        )
        == []
    )
    assert book.one("SELECT count(*) FROM ledger.occurrence WHERE state = 'pending'") == 40
