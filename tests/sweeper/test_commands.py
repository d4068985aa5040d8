"""`ledger sweep` and `ledger health` as programs: what they print, and the exit codes that cron goes by."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from tests.servers.databases import Databases
from tests.sweeper.book import Book
from tests.sweeper.test_incidents import locked

_PROGRAM = """
import click
from sweeper.commands import commands
click.Group(commands={command.name: command for command in commands})()
"""


def run(*arguments: str, dsn: str | None = None) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("LEDGER_")}
    if dsn is not None:
        env["LEDGER_DSN"] = dsn
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments],
        check=False,
        capture_output=True,
        text=True,
        env=env,
        timeout=60,
    )


def test_a_healthy_pass_says_what_it_looked_at_and_exits_0(book: Book) -> None:
    book.define("a")
    book.define("b")
    book.define("over", {"at": "2020-01-01T00:00:00Z"}, tenant="beta")
    told = run("sweep", dsn=book.dsn)
    assert told.returncode == 0, told
    first, second = told.stdout.splitlines()
    assert re.fullmatch(
        r"checked 2 tenants, 3 tasks, 2 open, 1 ended; repaired 0; drills passed 2; took \d+\.\d\d s", first
    )
    assert second == "tenants: 2 = 2 healthy + 0 repaired + 0 failed"
    assert run("health", dsn=book.dsn).returncode == 0


def test_a_pass_with_nothing_to_do_says_so_as_fully(book: Book) -> None:
    told = run("sweep", dsn=book.dsn)
    assert told.returncode == 0
    assert told.stdout.startswith(
        "checked 0 tenants, 0 tasks, 0 open, 0 ended; repaired 0; drills passed 1; took"
    )


def test_a_pass_that_repaired_exits_1_once(book: Book) -> None:
    book.define("a")
    book.define("b")
    book.sql("DELETE FROM ledger.occurrence")
    told = run("sweep", dsn=book.dsn)
    assert told.returncode == 1
    assert "repaired 2 (missing 2); drills passed 1" in told.stdout
    assert run("health", dsn=book.dsn).returncode == 0
    assert run("sweep", dsn=book.dsn).returncode == 0


def test_a_failed_tenant_exits_1_and_is_named(book: Book) -> None:
    book.define("a")
    book.define("a", tenant="beta")
    book.sql("DELETE FROM ledger.occurrence WHERE tenant = 'beta'")
    with locked(book, "beta"):
        told = run("sweep", dsn=book.dsn)
    assert told.returncode == 1
    assert "tenants: 2 = 1 healthy + 0 repaired + 1 failed" in told.stdout
    assert re.search(r"^beta +failed +lock", told.stdout, re.MULTILINE)
    told = run("health", dsn=book.dsn)
    assert told.returncode == 1
    assert re.search(r"^bad +verdicts .*'beta' for lock", told.stdout, re.MULTILINE)
    assert "not healthy" in told.stdout
    assert run("health", "--tenant", "acme", dsn=book.dsn).returncode == 0
    assert run("health", "--tenant", "beta", dsn=book.dsn).returncode == 1


def test_json_for_programs(book: Book) -> None:
    book.define("a")
    book.sql("DELETE FROM ledger.occurrence")
    told = run("sweep", "--json", "--period", "5m", dsn=book.dsn)
    said = json.loads(told.stdout)
    assert told.returncode == 1
    assert said["expected"] == said["healthy"] + said["repaired"] + said["failed"] == 1
    assert (said["green"], said["repairs"], said["drills"]["passed"]) == (False, {"missing": 1}, 1)
    assert said["not_green"][0]["tenant"] == "acme"
    assert book.one("SELECT period_s FROM ledger.pass") == 300
    told = run("health", "--json", dsn=book.dsn)
    said = json.loads(told.stdout)
    assert (told.returncode, said["healthy"]) == (0, True)
    assert {"sign", "word", "says", "at", "age_s", "evidence"} == set(said["signs"][0])


def test_health_with_nobody_sweeping_exits_1(book: Book) -> None:
    told = run("health", dsn=book.dsn)
    assert told.returncode == 1
    assert "no pass over all tenants has closed yet; run `ledger sweep`" in told.stdout
    run("sweep", dsn=book.dsn)
    book.sql("UPDATE ledger.pass SET closed = closed - interval '1 hour'")
    assert run("health", dsn=book.dsn).returncode == 1
    assert run("health", "--max-age", "2h", dsn=book.dsn).returncode == 0


@pytest.mark.parametrize("command", ["sweep", "health"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--dsn", "postgresql://127.0.0.1:1/none"), "the database cannot be reached"),
        (("--dsn", "nonsense"), "postgresql://USER@HOST:PORT/DATABASE"),
        (("--tenant", "no tenant"), "an identifier is printable ASCII"),
        (("--tenant",), "requires an argument"),
        (("--tenant", "mistyped"), "tenant 'mistyped'"),
    ],
)
def test_what_cannot_be_told_exits_2_with_one_line(
    book: Book, command: str, arguments: tuple[str, ...], said: str
) -> None:
    told = run(command, *arguments, dsn=book.dsn)
    assert told.returncode == 2
    assert said in told.stderr
    assert told.stdout == ""
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize("command", ["sweep", "health"])
def test_a_database_of_another_release_or_none_exits_2(
    book: Book, databases: Databases, command: str
) -> None:
    book.sql("UPDATE ledger.settings SET schema_version = schema_version + 1")
    told = run(command, dsn=book.dsn)
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert "schema_version" in told.stderr
    name = databases.empty()
    told = run(command, dsn=databases.dsn(name))
    databases.drop(name)
    assert told.returncode == 2
    assert "run `ledger migrate`" in told.stderr


@pytest.mark.parametrize("text", ["0", "-5", "15 m", "1y", "", "1.5h", "999999999d"])
def test_a_bad_duration_is_refused(book: Book, text: str) -> None:
    told = run("sweep", "--period", text, dsn=book.dsn)
    assert told.returncode == 2
    assert "write 900, 15m or 1h" in told.stderr
    assert book.sql("SELECT FROM ledger.pass") == []
