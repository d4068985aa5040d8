"""`ledger run` and `ledger tick`: what they refuse, and what a pass reports."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast
from uuid import UUID

import pytest

from tests.commanding import Shell
from tests.dispatcher.desk import TENANT, Book

# What is refused is refused before a database is asked.
NOWHERE = "postgresql://127.0.0.1:1/nowhere"

APP = """
from dispatcher import Registry, Run

registry = Registry()
seven = 7

@registry.handler("job")
async def job(run: Run) -> str:
    return run.task

@registry.handler("bad")
def bad(run: Run) -> None:
    raise ValueError("no such report")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ticked.py").write_text(APP)
    (tmp_path / "broken.py").write_text("import no_such_thing\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize("command", ["run", "tick"])
@pytest.mark.parametrize(
    ("app", "said"),
    [
        ("ticked", "--app 'ticked': write MODULE:NAME"),
        (":registry", "--app ':registry': write MODULE:NAME"),
        ("ticked:", "--app 'ticked:': write MODULE:NAME"),
        ("a b:registry", "--app 'a b:registry': it cannot be imported from here"),
        (
            "nowhere:registry",
            "--app 'nowhere:registry': it cannot be imported from here (ModuleNotFoundError",
        ),
        ("broken:registry", "--app 'broken:registry': it cannot be imported from here (ModuleNotFoundError"),
        ("ticked:handlers", "--app 'ticked:handlers': it cannot be imported from here (AttributeError"),
        ("ticked:seven", "--app 'ticked:seven': it is a int, and no dispatcher.Registry"),
        ("ticked:job", "--app 'ticked:job': it is a function, and no dispatcher.Registry"),
    ],
)
def test_an_app_that_is_none_is_one_line_and_exit_2(command: str, app: str, said: str) -> None:
    assert Shell(NOWHERE).refuses(command, "--app", app, code=2).startswith(said)


@pytest.mark.parametrize("command", ["run", "tick"])
def test_without_an_app_it_shows_how_to_write_one(command: str) -> None:
    said = Shell(NOWHERE)(command)
    assert (said.code, said.out) == (2, "")
    assert "@registry.handler" in said.err
    assert said.err.splitlines()[-1].startswith("ledger: --app: name the registry of your handlers")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("run", "--concurrency", "0"), "Invalid value for '--concurrency'"),
        (("run", "--threads", "many"), "Invalid value for '--threads'"),
        (("run", "--grace", "-1"), "Invalid value for '--grace'"),
        (("run", "--grace", "nan"), "Invalid value for '--grace'"),
        (("run", "--tick", "0"), "Invalid value for '--tick'"),
        (("run", "--tick", "nan"), "Invalid value for '--tick'"),
        (("run", "--dsn", "postgresql://h:x/d"), "the DSN cannot be read"),
        (("tick", "--dsn", "nonsense"), "the DSN cannot be read"),
        (("tick", "--dsn", "postgresql://127.0.0.1:1/x"), "the database cannot be reached"),
    ],
)
def test_options_that_cannot_be_are_one_line(options: tuple[str, ...], said: str) -> None:
    code = 3 if "reached" in said else 2
    line = Shell(NOWHERE).refuses(*options, "--app", "ticked:registry", code=code)
    assert line.startswith(said), line


def test_a_tick_with_nothing_to_do_says_so(book: Book) -> None:
    said = Shell(book.dsn).does("tick", "--app", "ticked:registry")
    assert said.out == "one pass, as incarnation 1: looked, and nothing was due\n"
    assert book.sql("SELECT state, why FROM ledger.dispatcher") == [("stopped", "its pass is done")]
    assert book.sql("SELECT ended IS NOT NULL FROM ledger.incarnation") == [(True,)]


def test_a_tick_runs_what_is_due_and_says_what_failed(book: Book) -> None:
    good, bad = book.due("good"), book.due("bad", "bad")
    lost = book.due("lost", "nowhere")
    later = book.ledger.tenant(TENANT).define("later", {"entrypoint": "job", "schedule": {"every_s": 86_400}})
    wait_until_due(book, good, bad, lost)
    said = Shell(book.dsn)("tick", "--app", "ticked:registry")
    assert said.code == 0
    first, *problems = said.out.splitlines()
    assert first == "one pass, as incarnation 1: looked at 3, started 3, finished 3"
    assert len(problems) == 2
    assert re.search(
        rf"^problem: run failed .*key={bad} .*error=\"ValueError: no such report\"", "\n".join(problems), re.M
    )
    assert re.search(
        rf"^problem: run failed .*key={lost} .*no handler is registered", "\n".join(problems), re.M
    )
    assert [book.state(key) for key in (good, bad, lost)] == ["succeeded", "failed", "failed"]
    assert later.key is not None
    assert book.state(later.key) == "pending"


def test_a_tick_in_json(book: Book) -> None:
    key = book.due("bad", "bad")
    wait_until_due(book, key)
    report = Shell(book.dsn).does("tick", "--app", "ticked:registry", "--json").json
    counts = cast("dict[str, int]", report["counts"])
    assert report["incarnation"] == 1
    assert {name: n for name, n in counts.items() if n} == {"looked_at": 1, "started": 1, "finished": 1}
    (problem,) = cast("list[str]", report["problems"])
    assert str(key) in problem


def test_a_tick_closes_what_is_overdue_and_frees_no_row_before_its_time(book: Book) -> None:
    hung, key = book.due("hung", "nowhere"), book.due("aside")
    book.sql(
        "UPDATE ledger.occurrence SET state = 'running', started = now() - interval '2 h',"
        " deadline = now() - interval '1 h' WHERE key = %s",
        hung,
    )
    book.sql(
        "UPDATE ledger.occurrence SET blocked_by = key, reason = 'by hand', retry_at = now() + interval '1 h'"
        " WHERE key = %s",
        key,
    )
    wait_until_due(book, key)
    said = Shell(book.dsn).does("tick", "--app", "ticked:registry")
    assert said.out == "one pass, as incarnation 1: timed out 1\n"
    assert book.row(hung, "state, error") == ("timed_out", "its deadline passed")
    assert book.state(key) == "pending"
    book.sql("UPDATE ledger.occurrence SET retry_at = now() WHERE key = %s", key)
    said = Shell(book.dsn).does("tick", "--app", "ticked:registry")
    assert said.out.startswith("one pass, as incarnation 2: ")
    assert book.state(key) == "succeeded"


def wait_until_due(book: Book, *keys: UUID) -> None:
    """Let the server wait until the rows' time has come, by its own clock."""
    book.sql(
        "SELECT pg_sleep(extract(epoch FROM greatest(max(run_at) - clock_timestamp(), interval '0')))"
        "  FROM ledger.occurrence WHERE key = ANY (%s)",
        list(keys),
    )
