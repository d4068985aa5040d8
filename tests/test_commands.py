"""The commands of tasks and occurrences, as text and as JSON, on a real database."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from tests.commanding import Shell
from tests.moves.own_keys import own_key
from tests.servers.databases import Databases

ADD = ("task", "add", "report", "--every", "1h", "--entrypoint", "make_report")
PULL = ("task", "add", "pull", "--every", "1h", "--entrypoint", "work", "--delivery", "pull")
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"


@pytest.fixture
def shell(dsn: str) -> Shell:
    return Shell(dsn)


@pytest.fixture
def bare(databases: Databases) -> Iterator[str]:
    """A database without the schema."""
    name = databases.empty()
    yield databases.dsn(name)
    databases.drop(name)


def count(dsn: str, table: str) -> object:
    with psycopg.connect(dsn) as connection:
        ((found,),) = connection.execute(f"SELECT count(*) FROM ledger.{table}".encode()).fetchall()  # noqa: S608
    return found


def test_a_task_is_added_shown_listed_and_added_again(shell: Shell) -> None:
    """I15"""
    first = shell.does(
        *ADD, "--payload", '{"to": "all"}', "--note", "wanted", "--timeout", "90", "--retries", "2"
    )
    assert re.fullmatch(r"report: defined; next \d{4}-\d\d-\d\d \d\d:00:00Z\n", first.out)
    again = shell.does(*ADD, "--payload", '{"to": "all"}', "--timeout", "1m30s", "--retries", "2", "--json")
    assert (again.json["did"], again.json["enabled"]) == ("unchanged", True)
    listed = shell.does("task", "list")
    assert listed.out.splitlines()[2].split()[:5] == ["report", "yes", "every", "3600", "s"]
    (line,) = shell.does("task", "list", "--json").rows
    assert line["authored"] == {
        "entrypoint": "make_report",
        "payload": {"to": "all"},
        "retry": {"attempts": 2},
        "schedule": {"every_s": 3600},
        "timeout_s": 90,
    }
    shown = shell.does("task", "show", "report")
    for said in ("enabled  yes", '"make_report"', "define", "wanted", "schedule"):
        assert said in shown.out
    as_json = shell.does("task", "show", "report", "--json").json
    assert [act["note"] for act in as_json["acts"]] == ["wanted"]
    assert as_json["open"][0]["key"] == again.json["key"]
    assert as_json["line"]["digest"] == again.json["digest"]


def test_each_way_of_saying_when(shell: Shell) -> None:
    cron = shell.does(
        "task", "add", "a", "--cron", "0 9 * * mon", "--timezone", "Europe/Paris", "--entrypoint", "x"
    )
    assert "defined; next" in cron.out
    assert "0 9 * * MON Europe/Paris" in shell.does("task", "list").out
    shell.does("task", "add", "b", "--at", "2199-01-01T09:00:00+01:00", "--entrypoint", "x")
    assert "at 2199-01-01T08:00:00.000000Z" in shell.does("task", "list").out


def test_a_task_that_has_ended_is_warned_of(shell: Shell) -> None:
    said = shell("task", "add", "once", "--at", "2020-01-01T00:00:00Z", "--entrypoint", "x")
    assert (said.code, said.out) == (0, "once: defined; ended: no slot is left\n")
    assert said.err == "ledger: warning: task once: no slot of it is left, it will not run again as it is\n"


def test_an_uneven_step_is_warned_of(shell: Shell) -> None:
    said = shell("task", "add", "a", "--cron", "*/7 * * * *", "--entrypoint", "x")
    assert said.code == 0
    assert (
        said.err == "ledger: warning: '*/7 * * * *': */7 does not tile the minutes: "
        "after minute 56 comes minute 0, 4 minutes later, not 7\n"
    )


def test_the_switch_edit_and_delete(shell: Shell) -> None:
    shell.does(*ADD)
    assert shell.does("task", "disable", "report", "--note", "holiday").out == "report: disabled; off\n"
    assert shell.does("task", "disable", "report").out == "report: unchanged; off\n"
    assert "report: enabled; next" in shell.does("task", "enable", "report").out
    edited = shell.does("task", "edit", "report", '{"timeout_s": "2m", "name": "Report"}', "--json").json
    assert edited["did"] == "edited"
    authored = shell.does("task", "list", "--json").rows[0]["authored"]
    assert authored == {
        "entrypoint": "make_report",
        "name": "Report",
        "schedule": {"every_s": 3600},
        "timeout_s": 120,
    }
    assert shell.does("task", "delete", "report").out == "report: deleted; off\n"
    assert shell.does("task", "list").out == "tenant acme has no tasks\n"


def test_an_edit_is_tried_dry(shell: Shell) -> None:
    shell.does(*ADD)
    (before,) = shell.does("upcoming", "--count", "1", "--json").rows
    edit = ("task", "edit", "report", '{"schedule": {"every_s": "2h"}}')
    said = shell.does(*edit, "--dry-run").out.splitlines()
    assert said[0].startswith("report: would be edited; next ")
    assert [line.split()[0] for line in said[4:6]] == ["retires", "opens"]
    assert said[4].endswith(str(before["key"]))
    assert said[-1] == "a dry run: nothing was changed"
    as_json = shell.does(*edit, "--dry-run", "--json").json
    assert [(row["fate"], row["wake"]) for row in as_json["rows"]] == [
        ("retires", "schedule"),
        ("opens", "schedule"),
    ]
    assert shell.does("upcoming", "--count", "1", "--json").rows == [before]
    done = shell.does(*edit, "--json").json
    assert (done["key"], done["next"]) == (as_json["acts"][0]["key"], as_json["acts"][0]["next"])
    assert "no such task" in shell.refuses("task", "edit", "nobody", "{}", "--dry-run", code=2)


def test_several_tasks_are_switched_together_or_not_at_all(shell: Shell) -> None:
    shell.does(*ADD)
    shell.does(*PULL)
    assert "no such task" in shell.refuses("task", "disable", "report", "nobody", code=2)
    assert [row["did"] for row in shell.does("task", "disable", "pull", "report", "--json").rows] == [
        "disabled",
        "disabled",
    ]


def test_the_way_of_a_run_from_due_to_history(shell: Shell) -> None:
    shell.does(*PULL)
    asked = shell.does("run-now", "pull", "--request", "r1")
    key = re.search(UUID, asked.out)[0]
    again = shell.does("run-now", "pull", "--request", "r1")
    assert again.out == f"pull: request r1 was made before: {key} is pending\n"
    assert key in shell.does("due").out
    (begun,) = shell.does("due", "--start", "--json").rows
    assert (begun["key"], begun["attempt"], begun["entrypoint"]) == (key, 1, "work")
    assert shell.does("due").out == "nothing is due\n"
    assert shell.does("due", "--start").out == "nothing was started\n"
    finished = shell.does("finish", key, "succeeded", "--result", '{"n": 1}', "--crumb", "page 7")
    assert finished.out.startswith(f"pull: {key} succeeded; next ")
    late = shell.refuses("finish", key, "failed", "--error", "x", code=1)
    assert "kept as evidence, discard the result" in late
    (row,) = shell.does("history", "pull", "--json").rows
    assert (row["state"], row["result"], row["crumb"]) == ("succeeded", '{"n": 1}', "page 7")
    assert key in shell.does("history").out
    assert shell.does("history", "--state", "failed", "--state", "lost").out == "nothing has run\n"
    explained = shell.does("explain", key)
    for said in (key, "succeeded", "manual:r1", '["occurrence/1","acme","pull"', "late finish", "page 7"):
        assert said in explained.out
    as_json = shell.does("explain", key, "--json").json
    assert (as_json["named_right"], as_json["row"]["state"]) == (True, "succeeded")
    assert as_json["facts"]["task"] == "pull"


def test_a_random_request_is_a_new_run_each_time(shell: Shell) -> None:
    shell.does(*PULL)
    keys = {str(shell.does("run-now", "pull", "--json").json["key"]) for _ in range(3)}
    assert len(keys) == 3


def test_cancel_says_what_it_found(shell: Shell) -> None:
    shell.does(*PULL)
    (run,) = shell.does("upcoming", "--count", "1", "--json").rows
    key = str(run["key"])
    assert re.fullmatch(
        rf"pull: {key} was pending, cancelled now; next .*Z\n",
        shell.does("cancel", key, "--reason", "no").out,
    )
    assert shell.does("cancel", key).out == f"pull: {key} is cancelled already; nothing was changed\n"


def test_what_is_to_come(shell: Shell) -> None:
    assert shell.does("upcoming").out == "nothing is to come\n"
    shell.does(*ADD)
    rows = shell.does("upcoming", "report", "--count", "3", "--json").rows
    assert [row["known"] for row in rows] == ["open", "computed", "computed"]
    until = str(rows[1]["due"])
    assert len(shell.does("upcoming", "--until", until, "--json").rows) == 2
    told = shell.does("upcoming", "--count", "3").out.splitlines()
    assert len(told) == 6
    assert told[2].split()[5] == "baseline-interval"
    assert told[-1] == "the first 3; there are more: --count N, to 1000, or --until TIMESTAMP"
    answer = shell.does("upcoming", "--until", until, "--json").json
    assert (len(answer["rows"]), answer["more"]) == (2, False)
    assert shell.does("upcoming", "--json").json["more"]


def test_lists_are_paged(shell: Shell) -> None:
    for n in range(3):
        shell.does("task", "add", f"t{n}", "--every", "1h", "--entrypoint", f"x{n}")
    first = shell.does("task", "list", "--limit", "2")
    assert first.out.endswith("more: --cursor t1\n")
    assert shell.does("task", "list", "--cursor", "t1", "--json").rows[0]["task"] == "t2"
    assert shell.does("task", "list", "--cursor", "t2").out == "no more tasks\n"
    shell.does(*PULL)
    for n in range(3):
        shell.does("run-now", "pull", "--request", f"r{n}")
        key = shell.does("due", "--start", "--json").rows[0]["key"]
        shell.does("finish", str(key), "failed")
    page = shell.does("history", "--limit", "2", "--json").json
    rest = shell.does("history", "--cursor", str(page["cursor"]), "--json").json
    assert [row["wake"] for row in page["rows"] + rest["rows"]] == ["manual:r2", "manual:r1", "manual:r0"]
    assert "older: --cursor " in shell.does("history", "--limit", "2").out


def test_a_misnamed_row_exits_1(shell: Shell, dsn: str) -> None:
    """I1"""
    shell.does(*ADD)
    (run,) = shell.does("upcoming", "--count", "1", "--json").rows
    with psycopg.connect(dsn) as connection:
        connection.execute("UPDATE ledger.occurrence SET agent = 'someone'")
    said = shell("explain", str(run["key"]))
    assert said.code == 1
    assert said.err.startswith("ledger: the row is misnamed: its facts derive ")


def test_two_tenants_are_two_shelves(dsn: str) -> None:
    mine, theirs = Shell(dsn, "acme"), Shell(dsn, "globex")
    mine.does(*ADD)
    assert theirs.does("task", "list").out == "tenant globex has no tasks\n"
    assert "report" in theirs.does("task", "list", "--tenant", "acme").out
    assert "tenant: 'a b'" in mine.refuses("task", "list", "--tenant", "a b", code=2)


def test_a_database_is_migrated_once(bare: str) -> None:
    shell = Shell(bare)
    assert "run `ledger migrate`" in shell.refuses("task", "list", code=3)
    assert shell.does("migrate").out.startswith("applied 0001_")
    assert shell.does("migrate").out == "nothing to apply: the schema is this release's\n"
    assert shell.does("migrate", "--json").json == {"applied": []}
    assert shell.does("task", "list").out == "tenant acme has no tasks\n"


def test_a_key_is_derived_without_a_database() -> None:
    """I1"""
    digest = "57" * 32
    options = ("--tenant", "acme", "--task", "report", "--digest", digest)
    shell = Shell("postgresql://127.0.0.1:1/nobody")
    derived = shell.does("key", *options, "--due", "2026-12-01T10:00:00+01:00", "--json").json
    facts = ("acme", "python", "schedule", "default", "local:default", "report", digest)
    own = own_key(facts, datetime(2026, 12, 1, 9, tzinfo=UTC))
    assert (derived["key"], derived["fingerprint"]) == (str(own.key), own.fingerprint.hex())
    names = ("tenant", "delivery", "wake", "agent", "destination", "task", "digest")
    whole = json.dumps(
        dict(zip(names, facts, strict=True)) | {"due": "2026-12-01T09:00:00Z", "delivery": "PYTHON"}
    )
    assert shell.does("key", whole, "--json").json == derived
    other = shell.does("key", whole, "--wake", "retry:1").out
    assert re.search(rf"^key +{UUID}$", other, re.MULTILINE)
    assert str(own.key) not in other
    assert '"retry:1"' in other


def test_version_and_help() -> None:
    shell = Shell(None)
    assert shell.does("--version").out.startswith("ledger, version ")
    commands = {
        line.split()[0] for line in shell.does("--help").out.splitlines() if re.match(r"  [a-z]", line)
    }
    assert commands >= {
        *("cancel", "conformance", "db", "demo", "due", "explain", "finish", "health", "history"),
        *("key", "migrate", "run-now", "sweep", "task", "upcoming", "run", "tick"),
    }
    for command in ("add", "apply", "list", "show", "edit", "enable", "disable", "delete"):
        assert "Usage: ledger task" in shell.does("task", command, "--help").out
