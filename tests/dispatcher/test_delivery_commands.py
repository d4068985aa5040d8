"""What `ledger run` and `ledger tick` say of kinds that they cannot serve, and one that they serve."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from ledger.cli import main
from tests.dispatcher.desk import Book
from tests.dispatcher.stands import SECRET


@pytest.mark.parametrize(
    ("options", "secrets", "said"),
    [
        (["--delivery", "http"], "", "no secret is configured"),
        (["--delivery", "http"], "nonsense", "begins with whsec_"),
        (["--delivery", "command"], "", "no program is allowed"),
        (["--delivery", "command", "--allow-command", "no-such-program"], "", "no such program"),
        (["--delivery", "http", "--allow-command", "true"], SECRET, "programs are not served"),
        (["--delivery", "command", "--http-allow", "x", "--allow-command", "true"], "", "not served"),
        (["--delivery", "celery"], "", "name your app with --celery"),
        (["--delivery", "celery", "--celery", "json:dumps"], "", "no Celery app"),
        (["--delivery", "celery", "--celery", "json:nothing"], "", "cannot be imported"),
        (["--delivery", "http", "--celery", "json:dumps"], SECRET, "add --delivery celery"),
        (["--delivery", "ftp"], "", "'ftp' is not one of"),
        (["--delivery", "python"], "", "--app"),
    ],
)
@pytest.mark.parametrize("command", ["run", "tick"])
def test_a_kind_that_is_not_configured_whole_is_not_served(
    command: str, options: list[str], secrets: str, said: str
) -> None:
    environment = {"LEDGER_WEBHOOK_SECRETS": secrets, "LEDGER_DSN": "postgresql://127.0.0.1:1/none"}
    done = CliRunner().invoke(main, [command, *options], env=environment)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "nonsense" not in done.stderr


def test_one_pass_serves_the_kinds_that_it_is_told(book: Book) -> None:
    fine = book.due("a", "true", delivery="command")
    left = book.due("b", "http://127.0.0.1/", delivery="http")
    # The row is due once its moment has come.
    book.sql("UPDATE ledger.occurrence SET run_at = now() WHERE state = 'pending'")
    options = ["--delivery", "command", "--allow-command", "true", "--dsn", book.dsn, "--json"]
    done = CliRunner().invoke(main, ["tick", *options])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["counts"]["started"] == 1
    assert (book.state(fine), book.state(left)) == ("succeeded", "pending")
