"""A database that answers and takes no writes is waited for like one that is down."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dispatcher import Registry
from tests.dispatcher.desk import SETTINGS, TENANT, Book, at_work


def read_only(book: Book, value: str) -> None:
    """New sessions take no writes (`on`), as on a standby, or do (`off`); the dispatcher needs new ones."""
    name = str(book.one("SELECT current_database()"))
    book.sql(f"ALTER DATABASE {name} SET default_transaction_read_only = {value}")
    book.sql(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
        " WHERE datname = current_database()"
        "   AND application_name IN ('ledger claims', 'ledger finishes', 'ledger house')"
    )


@pytest.mark.parametrize("waiting", [True, False])
async def test_while_the_database_takes_no_writes_it_waits_and_says_so(
    waiting: bool, book: Book, registry: Registry
) -> None:
    registry.handler("job")(lambda run: run.task)
    task = {"entrypoint": "job", "schedule": {"every_s": 86_400}}
    key = book.ledger.tenant(TENANT).define("a", task).key
    assert key is not None
    come = "UPDATE ledger.occurrence SET run_at = now() WHERE key = %s"
    async with at_work(book.dsn, registry, replace(SETTINGS, tick_s=0.05)) as (_, ears):
        read_only(book, "on")
        if waiting:
            book.sql(come, key)
        # First the connections that were cut, then what the new ones may not do.
        await ears.hear("state", times=2, state="blocked")
        said = ears.all("state", state="blocked")
        assert said
        assert "read-only" in str(said[-1]["why"])
        read_only(book, "off")
        book.sql(come, key)
        await ears.hear("run written", key=key)
        await ears.hear("state", times=2, state="active")
    assert book.state(key) == "succeeded"
    assert book.open_rows("a") == 1
