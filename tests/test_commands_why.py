"""`ledger why-not`: text, JSON and exit codes."""

from __future__ import annotations

import psycopg

from tests.commanding import Shell


def test_a_minute_is_told_as_text_and_as_json(dsn: str) -> None:
    shell = Shell(dsn)
    shell.does("task", "add", "a", "--every", "1h", "--entrypoint", "x")
    (row,) = shell.does("upcoming", "--count", "1", "--json").rows
    said = shell.does("why-not", "a", str(row["due"])).out.splitlines()
    assert said[0].startswith("a, the minute from ")
    assert "not yet" in said[3]
    assert said[3].endswith(str(row["key"]))
    told = shell.does("why-not", "a", str(row["due"]), "--json").json
    assert (told["task"], told["minute"]) == ("a", row["due"])
    assert str(told["answers"]).count("'word': 'not yet'") == 1
    assert shell.does("why-not", "a", "2019-01-01T00:00:00Z").out.splitlines()[3].split()[2:4] == [
        "not",
        "defined",
    ]


def test_a_broken_promise_exits_1(dsn: str) -> None:
    shell = Shell(dsn)
    shell.does("task", "add", "a", "--every", "1h", "--entrypoint", "x")
    (row,) = shell.does("upcoming", "--count", "1", "--json").rows
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DELETE FROM ledger.occurrence")
    said = shell("why-not", "a", str(row["due"]))
    assert (said.code, said.out.count("violation")) == (1, 1)
    assert said.err.startswith("ledger: task a: a promise is broken in that minute")


def test_bad_input_exits_2(dsn: str) -> None:
    shell = Shell(dsn)
    shell.does("task", "add", "a", "--every", "1h", "--entrypoint", "x")
    assert "time" in shell.refuses("why-not", "a", "noon", code=2)
    assert "no such task" in shell.refuses("why-not", "b", "2026-01-01T00:00:00Z", code=2)
