"""What Prometheus is given: by a pass in a file, by a dispatcher at its endpoint; never a tenant's name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.dispatcher.desk import Book as Desk
from tests.dispatcher.program import Stage
from tests.sweeper.book import HOURLY, Book
from tests.sweeper.test_commands import run
from tests.sweeper.test_incidents import locked

Scrape = dict[tuple[str, str], float]


def scraped(text: str) -> Scrape:
    """Each number by its name and the value of its one label; Prometheus's own parser reads them."""
    found: Scrape = {}
    for family in text_string_to_metric_families(text):
        assert family.name.startswith("ledger_")
        assert family.documentation
        for sample in family.samples:
            assert len(sample.labels) <= 1
            found[sample.name, "".join(sample.labels.values())] = sample.value
    return found


@pytest.fixture
def book(dsn: str) -> Iterator[Book]:
    made = Book(dsn)
    yield made
    made.close()


def swept(book: Book, file: Path) -> tuple[int, Scrape]:
    told = run("sweep", "--metrics-file", str(file), dsn=book.dsn)
    assert told.stderr == "", told.stderr
    assert os.listdir(file.parent) == [file.name], "written beside, then moved into place"
    return told.returncode, scraped(file.read_text())


def test_three_incidents_are_red_by_metric(book: Book, tmp_path: Path) -> None:
    """What was dropped, what was misnamed, and a lock that did not come: each within one pass (I14)."""
    file = tmp_path / "ledger.prom"
    for tenant in ("acme", "beta"):
        book.define("a", HOURLY, tenant=tenant)
    code, well = swept(book, file)
    assert (code, well["ledger_sweep_green", ""], well["ledger_sweep_pass_closed", ""]) == (0, 1, 1)
    assert (well["ledger_sweep_tenants", "healthy"], well["ledger_sweep_drills", "passed"]) == (2, 2)
    assert well["ledger_health_sign", "sweep"] == 1
    book.sql("DELETE FROM ledger.occurrence WHERE tenant = 'acme'")
    code, dropped = swept(book, file)
    assert (code, dropped["ledger_sweep_green", ""], dropped["ledger_sweep_repairs", "missing"]) == (1, 0, 1)
    book.sql("UPDATE ledger.occurrence SET destination = 'other' WHERE tenant = 'acme'")
    code, misnamed = swept(book, file)
    assert (code, misnamed["ledger_sweep_repairs", "misnamed"]) == (1, 1)
    book.sql("DELETE FROM ledger.occurrence WHERE tenant = 'beta'")
    with locked(book, "beta"):
        code, stuck = swept(book, file)
    assert (code, stuck["ledger_sweep_not_green_tenants", "lock"]) == (1, 1)
    assert (stuck["ledger_sweep_tenants", "healthy"], stuck["ledger_sweep_tenants", "failed"]) == (1, 1)
    assert stuck["ledger_undrilled_tenants", ""] == 0
    assert stuck["ledger_sweep_passes_total", ""] > well["ledger_sweep_passes_total", ""]
    assert "acme" not in file.read_text()


def test_a_pass_that_does_not_close_leaves_nothing_of_an_older_proof(book: Book, tmp_path: Path) -> None:
    book.define("a")
    file = tmp_path / "ledger.prom"
    swept(book, file)
    told = run("sweep", "--metrics-file", str(file), dsn="postgresql://127.0.0.1:1/none")
    assert told.returncode == 2
    found = scraped(file.read_text())
    assert found["ledger_sweep_pass_closed", ""] == 0
    assert {name for name, _ in found} == {
        "ledger_sweep_pass_closed",
        "ledger_sweep_attempt_timestamp_seconds",
    }


def test_a_file_that_cannot_be_written_changes_no_pass(book: Book, tmp_path: Path) -> None:
    told = run("sweep", "--metrics-file", str(tmp_path / "none" / "x.prom"), dsn=book.dsn)
    assert told.returncode == 0
    assert told.stderr.startswith("ledger: --metrics-file: ")
    for wrong in (("x.txt",), ("x.prom", "--tenant", "acme")):
        told = run("sweep", "--metrics-file", *wrong, dsn=book.dsn)
        assert (told.returncode, told.stdout) == (2, "")


def test_a_dispatcher_answers_while_it_runs(dsn: str, tmp_path: Path) -> None:
    desk = Desk(dsn)
    stage = Stage(tmp_path)
    with stage.running(dsn, "--metrics", "127.0.0.1:0", "--tick", "0.05") as program:
        port = program.hear("metrics").rpartition("=")[2].strip()
        desk.due("one")
        program.hear("run ended")
        found = scraped(httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False).text)
    desk.close()
    assert found["ledger_dispatcher_starts_total", ""] >= 1
    assert found["ledger_dispatcher_start_lag_seconds_bucket", "+Inf"] >= 1
    assert found["ledger_dispatcher_state", "active"] == 1
    assert found["ledger_dispatcher_free_workers", ""] > 0
    assert found["ledger_dispatcher_claims_total", ""] >= 1
    assert found["ledger_dispatcher_refusals_total", "skipped"] == 0
