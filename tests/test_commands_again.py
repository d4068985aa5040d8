"""The commands backfill and rerun, their cancel, and the options that narrow lists."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from tests.commanding import Shell

ADD = ("task", "add", "pull", "--every", "1h", "--entrypoint", "work", "--delivery", "pull")


@pytest.fixture
def shell(dsn: str) -> Shell:
    shell = Shell(dsn)
    shell.does(*ADD)
    return shell


def hours_ago(n: int) -> str:
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    return (hour - timedelta(hours=n)).isoformat()


def failed(shell: Shell) -> str:
    """The key of a run that failed."""
    key = str(shell.does("run-now", "pull", "--request", "r1", "--json").json["key"])
    shell.does("due", "--start")
    shell.does("finish", key, "failed", "--error", "no paper")
    return key


def test_a_backfill_shows_what_it_will_run_before_it_does(shell: Shell) -> None:
    range_ = ("backfill", "pull", "--from", hours_ago(3), "--to", hours_ago(1), "--request", "b")
    told = shell.does(*range_, "--dry-run")
    assert re.fullmatch(
        r"pull: 2 slots, \S+ \S+Z to \S+ \S+Z, 1 at a time\na dry run: nothing was changed\n", told.out
    )
    assert shell.does(*range_, "--dry-run", "--json").json["slots"] == 2
    first, second = shell.does(*range_).out.splitlines()
    assert first == told.out.splitlines()[0]
    assert re.fullmatch(r"pull: request b, going; the first is \S+", second)
    assert shell.does(*range_).out.endswith("pull: request b was made before: going, 1 of 2 opened\n")
    assert (
        shell.does("cancel", "--backfill", "b", "--task", "pull").out
        == "pull: backfill b cancelled: 0 running, 1 open, 2 slots that have not run\n"
    )
    assert shell.does("cancel", "--backfill", "b", "--task", "pull", "--json").json["did"] == "unchanged"


def test_a_rerun_is_shown_and_wants_a_yes(shell: Shell) -> None:
    key = failed(shell)
    told = shell.does("rerun", "--state", "failed", "--dry-run").out
    assert "rerun:1:manual:r1" in told
    assert told.endswith("a dry run: nothing was changed\n")
    said = shell("rerun", "--task", "pull")
    assert (said.code, said.err) == (
        2,
        "ledger: nobody can be asked here: look with --dry-run, then run with --yes\n",
    )
    by_key = shell.does("rerun", key, "--request", "x").out
    assert by_key.endswith("request x: 1 rows, 1 at a time\n")
    assert shell.does("rerun", key, "--request", "x").out.endswith("request x was made before: going\n")
    left = shell.does("rerun", "--task", "pull", "--yes", "--json").json
    assert (left["rows"], left["left"]) == ([], {"open": 1})
    assert shell.does("cancel", "--rerun", "x").out == "rerun x cancelled: 0 running, 1 open\n"
    assert shell.does("cancel", "--rerun", "x").out == "rerun x was over already; nothing was changed\n"


def test_lists_are_narrowed(shell: Shell) -> None:
    failed(shell)
    shell.does("task", "edit", "pull", '{"labels": {"team": "mail"}, "agent": "agent:7"}')
    for found, options in (
        (1, ("--state", "failed", "--agent", "default")),
        (0, ("--label", "team=mail")),
        (1, ("--from", hours_ago(2))),
        (0, ("--to", hours_ago(2))),
    ):
        assert len(shell.does("history", *options, "--json").rows) == found, options
    for found, options in (
        (1, ("--state", "enabled", "--agent", "agent:7", "--label", "team=mail")),
        (0, ("--state", "disabled")),
        (0, ("--to", hours_ago(0))),
    ):
        assert len(shell.does("task", "list", *options, "--json").rows) == found, options
    assert shell.does("task", "list", "--state", "disabled").out == "no such task\n"


BAD = (
    (("backfill", "pull"), "Missing option '--from'"),
    (("backfill", "pull", "--from", "yesterday"), "since: "),
    (("rerun",), "rerun: say which rows"),
    (("rerun", "x"), "key: 'x' is no key"),
    (("cancel",), "cancel: write a KEY, or --backfill ID"),
    (("cancel", "--backfill", "b"), "cancel: write a KEY, or --backfill ID"),
    (("cancel", "--rerun", "b", "--task", "pull"), "cancel: write a KEY, or --backfill ID"),
    (("cancel", "--rerun", "b"), "cancelling a rerun: there is none of request 'b'"),
    (("history", "--label", "team"), "label: 'team' is none; write NAME=TEXT"),
    (("task", "list", "--state", "failed"), "state: 'failed' is none of "),
)


def test_bad_input_is_one_line(shell: Shell) -> None:
    for command, said in BAD:
        assert shell.refuses(*command, code=2).startswith(said)
