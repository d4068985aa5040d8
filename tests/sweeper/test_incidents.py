"""Three failures that stay hidden where failing looks like succeeding: each is red within one pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
import pytest

from ledger.facts import Facts
from ledger.keys import derive
from tests.sweeper.book import TENANT, Book, all_well, only


def test_a_series_whose_projection_was_dropped(book: Book) -> None:
    """The process that should have projected died, and nothing would ever have asked for the task again."""
    key = book.define("nightly").key
    book.define("other")
    all_well(book.sweep())
    book.sql("DELETE FROM ledger.occurrence WHERE task = 'nightly'")
    assert only(book.sweep()) == {"missing": 1}
    assert book.open_keys("nightly") == [key]
    assert book.one("SELECT word FROM ledger.verdict_log ORDER BY id DESC LIMIT 1") == "repaired"
    all_well(book.sweep())


@contextmanager
def locked(book: Book, tenant: str) -> Iterator[None]:
    """Somebody holds a tenant's tasks and does not let go."""
    with psycopg.connect(book.dsn) as stuck:
        stuck.execute("SELECT FROM ledger.task WHERE tenant = %s FOR UPDATE", [tenant])
        yield
        stuck.rollback()


def test_a_tenant_whose_lock_times_out_while_the_pass_goes_on_and_says_so(book: Book) -> None:
    for tenant in ("acme", "beta", "gamma"):
        book.define("a", tenant=tenant)
        book.define("b", tenant=tenant)
    book.sql("DELETE FROM ledger.occurrence WHERE task = 'a'")
    with locked(book, "beta"):
        report = book.sweep(lock_ms=50)
    words = {v.tenant: (v.word, v.cause, dict(v.repairs)) for v in report.verdicts}
    assert words == {
        "acme": ("repaired", None, {"missing": 1}),
        "beta": ("failed", "lock", {}),
        "gamma": ("repaired", None, {"missing": 1}),
    }
    assert (report.expected, report.count("failed"), report.green) == (3, 1, False)
    assert book.sql("SELECT word, cause FROM ledger.verdict WHERE tenant = 'beta'") == [("failed", "lock")]
    assert only(book.sweep(), "beta") == {"missing": 1}
    all_well(book.sweep())


@pytest.mark.parametrize("how", ["another key", "another spelling"])
def test_a_key_derived_differently(book: Book, how: str) -> None:
    """Two components named one occurrence differently: neither would ever have found the other's row."""
    right = book.define("report", destination="team:11").key
    book.define("other")
    if how == "another key":
        false = uuid4()
        book.sql("UPDATE ledger.occurrence SET key = %s WHERE key = %s", false, right)
    else:
        # Its key is that of the facts as they are spelled beside it; but `Team` is not how they are spelled.
        ((digest,),) = book.sql("SELECT digest FROM ledger.task WHERE task = 'report'")
        assert isinstance(digest, bytes)
        spelled = derive(
            Facts(
                TENANT,
                "python",
                "schedule",
                "default",
                "Team:11",
                "report",
                digest.hex(),
                "2190-06-01T09:00:00.000000Z",
            )
        )
        false = spelled.key
        book.sql(
            "UPDATE ledger.occurrence SET key = %s, fingerprint = %s, destination = 'Team:11' WHERE key = %s",
            false,
            spelled.fingerprint,
            right,
        )
    assert only(book.sweep()) == {"misnamed": 1}
    assert book.open_keys("report") == [right]
    assert book.sql("SELECT state, reason FROM ledger.occurrence WHERE key = %s", false) == [
        ("retired", "misnamed")
    ]
    ((what, detail),) = book.sql("SELECT what, detail FROM ledger.evidence WHERE key = %s", false)
    assert what == "misnamed"
    assert (str(right) in str(detail)) == (how == "another key")
    all_well(book.sweep())
