"""The examples run as a reader would run them, and say what they promise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def run(module: str, dsn: str) -> list[str]:
    """Run an example as a program of its own; what it printed, line by line."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", f"examples.{module}"],
        cwd=CHECKOUT,
        env=os.environ | {"LEDGER_DSN": dsn},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("module", ["sqlalchemy_session", "sqlalchemy_async_session", "django_atomic"])
def test_a_task_stands_or_falls_with_the_callers_rows(module: str, dsn: str) -> None:
    assert run(module, dsn)[-3:] == [
        "customers: ['acme']",
        "tasks of acme: ['weekly-report']",
        "tasks of globex: []",
    ]
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(
            "SELECT tenant, made_by FROM ledger.occurrence WHERE state = 'pending'"
        ).fetchall()
        acts = connection.execute("SELECT tenant, by FROM ledger.act").fetchall()
        texts = connection.execute("SELECT tenant FROM ledger.definition").fetchall()
    assert rows == [("acme", "define")]
    assert acts == [("acme", "signup")]
    assert texts == [("acme",)], "of what was rolled back nothing is left"


def test_an_asyncpg_connection_is_refused_with_what_to_do(dsn: str) -> None:
    first, *rest = run("asyncpg_refused", dsn)
    assert first.startswith("refused: on(connection): this is a asyncpg."), first
    assert "psycopg.AsyncConnection.connect" in first
    assert rest == ["tasks of acme: ['weekly-report']", "tasks of globex: ['weekly-report']"]


def test_the_first_task_is_defined_once(dsn: str) -> None:
    (first,), (second,) = run("first_task", dsn), run("first_task", dsn)
    assert first.startswith("hello: defined, next at ")
    assert second.startswith("hello: unchanged, next at ")


def test_the_first_task_runs_in_a_dispatcher(dsn: str) -> None:
    """As the README has it: define, then let `ledger` run what is due with the example's own registry."""
    run("first_task", dsn)
    ledger = [sys.executable, "-W", "error", "-m", "ledger"]
    settings = {
        "cwd": CHECKOUT,
        "env": os.environ | {"LEDGER_DSN": dsn, "LEDGER_TENANT": "acme"},
        "text": True,
    }
    subprocess.run(
        [*ledger, "run-now", "hello", "--request", "r1"], check=True, capture_output=True, **settings
    )
    tick = subprocess.run(
        [*ledger, "tick", "--app", "examples.first_task:registry"],
        check=True,
        capture_output=True,
        **settings,
    )
    assert " hello world, " in tick.stdout
    # The request, or the series' own slot where that has come first: of one task one run starts in a pass.
    with psycopg.connect(dsn) as connection:
        (row,) = connection.execute("SELECT state, result FROM ledger.occurrence WHERE started IS NOT NULL")
    assert row[0] == "succeeded"
    assert json.loads(row[1]) == {"greeted": "world"}


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("command_task", ["started: 1", 'nightly-sort: succeeded, result {"lines": 2}']),
        (
            "pull_worker",
            ["worked off: 1", 'crawl: succeeded, result {"entrypoint": "crawl", "attempt": 1}'],
        ),
        (
            "webhook_fastapi",
            [
                'weekly-report: succeeded, result {"status": "ok", "sent": true}',
                "again: {'status': 'ok', 'sent': False}",
                "unsigned: 401",
            ],
        ),
    ],
)
def test_a_kind_of_delivery_reaches_its_receiver(module: str, said: list[str], dsn: str) -> None:
    assert run(module, dsn) == said


def test_a_receiver_is_told_of_a_failure_and_of_the_success_after_it(dsn: str) -> None:
    assert run("told_fastapi", dsn) == [
        "pager is told of failed, lost, recovered, skipped, timed_out of tenant 'acme', behind number 0",
        "sent 2 events",
        "occurrence.failed report manual:by-hand-1 no paper",
        "occurrence.recovered report rerun:1:manual:by-hand-1 recovered after failed attempts",
        "by cursor: [('failed', 'report'), ('recovered', 'report')] then 2",
    ]
