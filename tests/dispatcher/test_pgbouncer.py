"""Behind pgbouncer in transaction mode all but the presence works, and it says so: a real one, Debian's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dispatcher import Registry, Run
from ledger import AsyncLedger, Ledger
from ledger.driver.connect import connect
from sweeper.passes import sweep
from tests.dispatcher.desk import SETTINGS, TENANT, Book, at_work
from tests.servers.pgbouncer import private_pgbouncer
from tests.servers.programs import NotAtHand

QUICK = replace(SETTINGS, period_s=0.2, tick_s=0.1)
ROUNDS = 12


@pytest.fixture
def through(dsn: str, tmp_path: Path) -> Iterator[str]:
    """The DSN of the test's database through the pooler."""
    try:
        with private_pgbouncer(dsn, tmp_path) as pooled:
            yield pooled
    except NotAtHand as error:
        pytest.skip(str(error))


async def test_runs_retries_and_sweeps_work_and_the_presence_does_not_pretend(
    through: str, book: Book, registry: Registry
) -> None:
    @registry.handler("job")
    async def job(run: Run) -> None:
        if run.attempt == 1:
            raise ValueError("the first time")

    async with at_work(through, registry, QUICK) as (_, ears):
        (said,) = ears.all("no presence")
        assert "transaction pooler" in str(said["why"])
        assert "deadline" in str(said["why"])
        keys = [book.due(f"t{n}", retry={"attempts": 1, "backoff_s": 0}) for n in range(ROUNDS)]
        await ears.hear("run written", times=2 * ROUNDS)
    assert {book.state(key) for key in keys} == {"failed"}
    assert book.sql("SELECT state FROM ledger.occurrence WHERE wake = 'retry:1'") == [("succeeded",)] * ROUNDS
    assert book.sql("SELECT held, ended IS NOT NULL FROM ledger.incarnation") == [(False, True)]
    connection = connect(through)
    try:
        report = sweep(connection)
    finally:
        connection.close()
    assert [(verdict.tenant, verdict.word) for verdict in report.verdicts] == [(TENANT, "healthy")]
    assert report.faults == []


async def test_the_api_works_however_often_it_asks(through: str, book: Book) -> None:
    """More often than a statement is asked for before a driver prepares it."""
    task = {"entrypoint": "job", "delivery": "pull", "schedule": {"every_s": 3600}}
    with Ledger(through) as ledger:
        acme = ledger.tenant(TENANT)
        for n in range(ROUNDS):
            acme.define(f"s{n}", task, allow_duplicate=True)
            key = acme.run_now(f"s{n}", "r").key
            acme.start(key)
            assert acme.finish(key, "succeeded").state == "succeeded"
        assert len(acme.list().rows) == ROUNDS
    async with AsyncLedger(through) as ledger:
        other = ledger.tenant(TENANT)
        for n in range(ROUNDS):
            assert (await other.delete(f"s{n}")).did == "deleted"
    assert book.one("SELECT count(*) FROM ledger.task") == 0
