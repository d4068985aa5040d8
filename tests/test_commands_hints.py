"""The commands hint, pause and resume, and how hints are shown."""

from __future__ import annotations

import re

import psycopg
import pytest

from tests.commanding import Shell

FAR = ("task", "add", "report", "--at", "2190-01-01T00:00:00Z", "--entrypoint", "make_report")
STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{6})?Z"


@pytest.fixture
def shell(dsn: str) -> Shell:
    shell = Shell(dsn)
    shell.does(*FAR)
    return shell


def test_a_hint_is_given_shown_and_withdrawn(shell: Shell) -> None:
    told = shell.does("hint", "report", "--every", "15m", "--expires", "4h", "--note", "busy day")
    assert re.fullmatch(rf"report: interval: given, until {STAMP}; next {STAMP} \(ai-interval\)\n", told.out)
    shown = shell.does("task", "show", "report").out
    assert re.search(
        rf"hints in force\n.*\n.*\ninterval +every 900 s +{STAMP} +{STAMP} +command: \S+ +busy day\n", shown
    )
    (row,) = shell.does("upcoming", "report", "--count", "1", "--json").rows
    told = shell.does("explain", str(row["key"]))
    assert "source" in told.out
    assert "ai-interval" in told.out
    assert '"won": "interval"' in told.out
    assert "hints in force" in told.out
    given = shell.does(
        "hint", "report", "--at", "2189-01-01T00:00:00Z", "--expires", "2189-02-01T00:00:00Z", "--json"
    )
    assert (given.json["kind"], given.json["did"], given.json["source"]) == (
        "oneshot",
        "given",
        "ai-interval",
    )
    hints = shell.does("task", "show", "report", "--json").json["hints"]
    assert isinstance(hints, list)
    assert [one["kind"] for one in hints] == ["interval", "oneshot"]
    told = shell.does("hint", "report", "--withdraw", "interval")
    assert told.out == "report: interval: withdrawn; next 2189-01-01 00:00:00Z (ai-oneshot)\n"
    shell.does("hint", "report", "--withdraw", "oneshot")
    told = shell.does("hint", "report", "--withdraw", "oneshot")
    assert told.out == (
        "report: oneshot: no such hint was in force; next 2190-01-01 00:00:00Z (baseline-at)\n"
    )
    assert "hints in force" not in shell.does("task", "show", "report").out


def test_a_hint_for_a_task_that_is_off_says_so(shell: Shell) -> None:
    shell.does("task", "disable", "report")
    assert shell.does("hint", "report", "--every", "15m", "--expires", "4h").out.endswith("; off\n")


def test_a_pause_and_its_end(shell: Shell) -> None:
    shell.does("task", "add", "yearly", "--cron", "0 0 1 1 *", "--entrypoint", "x")
    told = shell.does("pause", "yearly", "--until", "2188-06-01T00:00:00Z", "--note", "away")
    assert told.out == "yearly: edited; next 2189-01-01 00:00:00Z\n"
    told = shell.does("pause", "yearly", "--until", "2188-06-01T00:00:00Z", "--note", "away", "--at-end")
    assert told.out == "yearly: edited; next 2188-06-01 00:00:00Z\n"
    assert '"pause_note": "away"' in shell.does("task", "show", "yearly").out
    resumed = shell.does("resume", "yearly", "--json").json
    assert (resumed["did"], resumed["ended"]) == ("edited", False)
    assert shell.does("resume", "yearly", "--json").json["did"] == "unchanged"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("hint", "report"), "hint: say --every DURATION or --at TIMESTAMP, and --expires; or --withdraw"),
        (("hint", "report", "--every", "15m"), "hint: say --every"),
        (("hint", "report", "--expires", "4h"), "hint: say --every"),
        (("hint", "report", "--every", "1m", "--at", "2189-01-01T00:00:00Z", "--expires", "4h"), "hint: say"),
        (("hint", "report", "--every", "often", "--expires", "4h"), "every: 'often' is no duration; write"),
        (("hint", "report", "--every", "0", "--expires", "4h"), "every: 0 is out of range; write 1 to"),
        (("hint", "report", "--every", "1m", "--expires", "never"), "expires: 'never' is no timestamp"),
        (
            ("hint", "report", "--every", "1m", "--expires", "2020-01-01T00:00:00Z"),
            "giving a hint: it expires",
        ),
        (("hint", "report", "--at", "tomorrow", "--expires", "4h"), "at: 'tomorrow' is no timestamp"),
        (("hint", "report", "--withdraw", "daily"), "kind: 'daily' is no kind of hint; write interval or"),
        (("hint", "report", "--withdraw", "interval", "--every", "1m"), "hint: --withdraw stands alone"),
        (
            ("hint", "nobody", "--every", "1m", "--expires", "4h"),
            "giving a hint: the tenant has no such task",
        ),
        (("hint", "a b", "--every", "1m", "--expires", "4h"), "task: 'a b' has ' '"),
        (("pause", "report"), "Missing option '--until'"),
        (("pause", "report", "--until", "2020-01-01T00:00:00Z"), "pausing a task: 2020-01-01"),
        (("pause", "report", "--until", "soon"), "until: 'soon' is no timestamp"),
        (("pause", "nobody", "--until", "2189-01-01T00:00:00Z"), "pausing a task: the tenant has no such"),
        (("resume", "nobody"), "resuming a task: the tenant has no such task"),
    ],
)
def test_bad_input_is_one_line_and_stores_nothing(
    shell: Shell, dsn: str, arguments: tuple[str, ...], said: str
) -> None:
    with psycopg.connect(dsn) as connection:
        look = "SELECT (SELECT count(*) FROM ledger.hint), (SELECT count(*) FROM ledger.act)"
        before = connection.execute(look).fetchall()
        connection.commit()
        assert shell.refuses(*arguments, code=2).startswith(said)
        assert connection.execute(look).fetchall() == before
